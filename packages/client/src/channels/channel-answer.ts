import { channelIn } from '@avm402/avm/batch-settlement/client';
import type { SettleResponse } from '@avm402/core/settle-response';
import { parseReceipt } from '../http/receipt.ts';

/** The receipt of a request that was paid through this channel; undefined for a success that names another one. */
export function channelReceipt(channelId: string, header: string | null): SettleResponse | undefined {
  const receipt = parseReceipt(header);
  return !receipt?.success || channelIn(receipt) === channelId ? receipt : undefined;
}
