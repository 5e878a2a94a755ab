import type { Spending } from '../budget/spending.ts';
import type { AlgodOf } from '../own-node/network-access.ts';
import type { PaymentOutcome } from '../own-node/payment-outcome.ts';
import type { BuyerChannel } from './buyer-channel.ts';
import { channelOnChain } from './channel-on-chain.ts';
import type { ChannelDeposit } from './channel-record.ts';

export interface LearnDepositOptions {
  readonly algodOf: AlgodOf;
  readonly spending: Spending;
}

/**
 * Asks the buyer's own node what became of a deposit that left, and puts it on record.
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
  if (outcome.state === 'expired') await channel.expired(deposit);
  return outcome.state;
}

/** A node that keeps few blocks forgets the transfer; the channel's balance then shows that it came. */
async function outcomeOf(
  { config, record, spending: { deposit: settled } }: BuyerChannel,
  deposit: ChannelDeposit,
  { algodOf, spending }: LearnDepositOptions,
): Promise<PaymentOutcome> {
  const { network } = record;
  const outcome = await spending.learn({ ...deposit, network });
  const algod = algodOf(network);
  if (outcome.state !== 'open' || !algod) return outcome;
  const onChain = await channelOnChain(config, algod).catch(() => undefined);
  const isThere = onChain?.state === 'open' && onChain.balance >= settled + deposit.amount;
  return isThere ? { state: 'confirmed', round: onChain.round } : outcome;
}
