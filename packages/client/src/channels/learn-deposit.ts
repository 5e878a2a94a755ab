import type { AlgodClient } from '@avm402/algorand/algod';
import type { Spending } from '../budget/spending.ts';
import { type PaymentOutcome, paymentOutcome } from '../own-node/payment-outcome.ts';
import type { BuyerChannel } from './buyer-channel.ts';
import { channelOnChain } from './channel-on-chain.ts';
import type { ChannelDeposit } from './channel-record.ts';

export interface LearnDepositOptions {
  /** The buyer's own node, if it has one for the channel's network. */
  readonly algod: AlgodClient | undefined;
  readonly spending: Spending;
}

/**
 * Asks the buyer's own node what became of a deposit that left, and puts it on record.
 * @throws what store and journal throw
 */
export async function learnDeposit(
  channel: BuyerChannel,
  deposit: ChannelDeposit,
  { algod, spending }: LearnDepositOptions,
): Promise<PaymentOutcome['state']> {
  if (!algod) return 'open';
  const outcome = await outcomeOf(channel, deposit, algod);
  // A record that fails now must not cost the response that was paid for: the deposit is looked at again.
  if (outcome.state === 'confirmed') await channel.settled(deposit, outcome.round).catch(() => {});
  if (outcome.state === 'expired') {
    await channel.expired(deposit);
    await spending.expired(deposit);
  }
  return outcome.state;
}

/** A node that keeps few blocks forgets the transfer; what the channel holds shows that it came. */
async function outcomeOf(channel: BuyerChannel, deposit: ChannelDeposit, algod: AlgodClient): Promise<PaymentOutcome> {
  const { config, record, spending } = channel;
  const outcome = await paymentOutcome({ ...deposit, network: record.network }, algod);
  if (outcome.state !== 'open') return outcome;
  const onChain = await channelOnChain(config, algod).catch(() => undefined);
  const isThere = onChain?.state === 'open' && onChain.balance >= spending.deposit + deposit.amount;
  return isThere ? { state: 'confirmed', round: onChain.round } : outcome;
}
