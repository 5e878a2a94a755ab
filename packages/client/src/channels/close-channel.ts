import { encodeChannelPayload } from '@avm402/avm/batch-settlement';
import { toldState } from '@avm402/avm/batch-settlement/client';
import { X402Error } from '@avm402/core/errors';
import { encodePaymentSignatureHeader, PAYMENT_SIGNATURE_HEADER } from '@avm402/core/headers';
import { discardBody } from '../http/discard-body.ts';
import type { BuyerChannel } from './buyer-channel.ts';
import { offerIn } from './channel-answer.ts';
import type { OpenedFor } from './channel-record.ts';

/** How often the amount is corrected. */
const MAX_REQUESTS = 3;

/**
 * Asks a channel's seller to close it, with a voucher over exactly what was charged. Nothing is paid with it any more.
 * @throws X402Error `channel_unavailable` where the seller refuses; what fetch and the store throw
 */
export async function askToClose(
  channel: BuyerChannel,
  opened: OpenedFor,
  fetch: typeof globalThis.fetch,
): Promise<void> {
  await channel.become('closing');
  for (let left = MAX_REQUESTS; left > 0; left--) {
    const headers = { [PAYMENT_SIGNATURE_HEADER]: closingHeader(channel, opened) };
    const response = await fetch(opened.url, { method: opened.method, headers, redirect: 'manual' });
    discardBody(response);
    // 503: the close is under way.
    if (response.ok || response.status === 503) return;
    const required = offerIn(response);
    const told = required && toldState(required, channel.id);
    if (told === undefined || !channel.adopt(told)) {
      const why = required?.error ?? `status ${response.status}`;
      throw new X402Error('channel_unavailable', {
        message: `the seller does not close channel ${channel.id}: ${why}`,
      });
    }
  }
  throw new X402Error('channel_unavailable', { message: `the seller does not close channel ${channel.id}` });
}

function closingHeader(channel: BuyerChannel, { requirements: accepted }: OpenedFor): string {
  const refund = { type: 'refund', channelConfig: channel.config, voucher: channel.signRefund() } as const;
  return encodePaymentSignatureHeader({ x402Version: 2, accepted, payload: encodeChannelPayload(refund) });
}
