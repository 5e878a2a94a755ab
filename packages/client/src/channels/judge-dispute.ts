import { channelOnChain } from '@avm402/avm/batch-settlement/client';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { BuyerChannel } from './buyer-channel.ts';
import { learnDeposit, type LearnDepositOptions } from './learn-deposit.ts';
import { offeredTerms } from './offered-terms.ts';
import { isPaidOut, recordPaidOut } from './record-paid-out.ts';

/**
 * The number of rounds before the expiry in which a seller no longer takes vouchers, if its channels live long enough.
 */
const CLOSING_MARGIN = 1000n;

/**
 * `over`: the chain agrees, and another channel may be opened, within the budgets.
 * `open`: the chain has the channel, or can't be asked. Nothing is deposited in another one on the seller's word alone.
 */
export type Verdict = 'over' | 'open';

/**
 * Asks the buyer's own node whether a channel is over; its seller's word counts for nothing.
 * @throws what algod, store and journal throw
 */
export async function judgeDispute(
  channel: BuyerChannel,
  { network }: PaymentRequirements,
  options: LearnDepositOptions,
): Promise<Verdict> {
  const { spending, algodOf } = options;
  const algod = algodOf(network);
  if (!algod) return 'open';
  const { pending } = channel;
  if (pending) await learnDeposit(channel, pending, options);
  const onChain = await channelOnChain(channel.config, algod);
  if (onChain.state === 'empty') {
    if (!isPaidOut(channel, onChain)) return 'open';
    await recordPaidOut(channel, spending);
    return 'over';
  }
  if (onChain.state === 'open' && !isExpiring(channel, onChain.round)) return 'open';
  await channel.beginClosing();
  return 'over';
}

/**
 * Whether a seller without a node may consider a channel to be expiring, by the terms under which it was opened. A new
 * channel is far from expiring, so a seller can't get one deposit after another.
 */
function isExpiring({ config, record }: BuyerChannel, round: bigint): boolean {
  const terms = record.opened && offeredTerms(record.opened.requirements);
  if (terms === undefined || 'reason' in terms) return true;
  const half = terms.minRounds / 2n;
  return config.expiry - round < half + (half < CLOSING_MARGIN ? half : CLOSING_MARGIN);
}
