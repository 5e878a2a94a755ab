import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { Spending } from '../budget/spending.ts';
import type { AlgodOf } from '../own-node/network-access.ts';
import type { BuyerChannel } from './buyer-channel.ts';
import { channelOnChain } from './channel-on-chain.ts';
import { offeredTerms } from './offered-terms.ts';
import { recordPaidOut } from './paid-out.ts';

export interface DisputeOptions {
  readonly spending: Spending;
  readonly algodOf: AlgodOf;
}

/** Rounds before the expiry in which a seller takes no vouchers any more, and little more. */
const CLOSING_MARGIN = 1000n;

/**
 * `over`: the chain agrees, and another channel may be opened, within the budgets.
 * `open`: the chain has the channel, or can't be asked: nothing is deposited in another one on the seller's word.
 */
export type Verdict = 'over' | 'open';

/**
 * Asks the buyer's own node whether a channel is over; its seller's word counts for nothing.
 * @throws what algod throws
 */
export async function judgeDispute(
  channel: BuyerChannel,
  offer: PaymentRequirements,
  { spending, algodOf }: DisputeOptions,
): Promise<Verdict> {
  const algod = algodOf(offer.network);
  if (!algod) return 'open';
  const onChain = await channelOnChain(channel.config, algod);
  if (onChain.state === 'empty' && channel.pending === undefined) {
    await recordPaidOut(channel, spending);
    return 'over';
  }
  if (onChain.state === 'empty') return 'open';
  const terms = offeredTerms(offer);
  const left = channel.config.expiry - onChain.round;
  const isExpiring = 'reason' in terms || left < terms.minRounds / 2n + CLOSING_MARGIN;
  if (onChain.state === 'open' && !isExpiring) return 'open';
  await channel.become('closing');
  return 'over';
}
