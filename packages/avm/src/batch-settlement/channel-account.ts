import type { AccountInformation } from '@avm402/algorand/algod';
import { ASSET_ACCOUNT_MINIMUM } from '../signing/pooled-group.ts';

/**
 * Whose the account of a channel is. `open`: the channel's. `handed-over`: the payer's, because a close could not pay
 * out the rest. `empty`: nobody's, because it was paid out, or because the node has not seen its opening yet.
 */
export type ChannelState = 'open' | 'handed-over' | 'empty';

/** The state of a channel whose account a node shows. ALGO alone says nothing, because anybody can send it. */
export function channelState({
  minBalance,
  authAddress,
}: Pick<AccountInformation, 'minBalance' | 'authAddress'>): ChannelState {
  if (minBalance < ASSET_ACCOUNT_MINIMUM) return 'empty';
  return authAddress === undefined ? 'open' : 'handed-over';
}
