import { channelOnChain, type ChannelOnChain } from '@avm402/avm/batch-settlement/client';
import type { Spending } from '../budget/spending.ts';
import type { AlgodOf } from '../own-node/network-access.ts';
import type { PaymentOutcome } from '../own-node/payment-outcome.ts';
import type { BuyerChannel } from './buyer-channel.ts';
import type { ChannelDeposit } from './channel-record.ts';

export interface LearnDepositOptions {
  readonly algodOf: AlgodOf;
  readonly spending: Spending;
}

/**
 * Asks the buyer's own node what became of a deposit that left, and puts it on record. `forgotten`: it can't come any more
 * and its channel does not hold it, but nobody can tell whether it came, so the budgets count it.
 * @throws what the store throws
 */
export async function learnDeposit(
  channel: BuyerChannel,
  deposit: ChannelDeposit,
  options: LearnDepositOptions,
): Promise<PaymentOutcome['state']> {
  const outcome = await outcomeOf(channel, deposit, options);
  // A write that fails here must not cost the response that was paid for: the deposit is looked up again later.
  if (outcome.state === 'confirmed') await channel.settled(deposit, outcome.round).catch(() => {});
  if (outcome.state === 'expired' || outcome.state === 'forgotten') await channel.expired(deposit);
  return outcome.state;
}

/** A node that keeps few blocks forgets the transfer; the channel's balance then shows whether it is there. */
async function outcomeOf(
  { config, record, spending: { deposit: settled } }: BuyerChannel,
  deposit: ChannelDeposit,
  { algodOf, spending }: LearnDepositOptions,
): Promise<PaymentOutcome> {
  const { network } = record;
  const outcome = await spending.learn({ ...deposit, network });
  const algod = algodOf(network);
  if (outcome.state === 'confirmed' || outcome.state === 'expired' || !algod) return outcome;
  const onChain = await channelOnChain(config, algod).catch(() => undefined);
  if (onChain?.state === 'open' && onChain.balance >= settled + deposit.amount) {
    return { state: 'confirmed', round: onChain.round };
  }
  return onChain && isWithout(deposit, onChain, settled) ? outcome : { state: 'open' };
}

/** Whether a channel that does not hold a deposit will not get it. An opening comes with its channel. */
function isWithout({ lastValid }: ChannelDeposit, { state, since }: ChannelOnChain, settled: bigint): boolean {
  return since >= lastValid && (state === 'empty' || (state === 'open' && settled > 0n));
}
