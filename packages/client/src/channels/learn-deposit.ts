import type { AlgodClient } from '@avm402/algorand/algod';
import type { Spending } from '../budget/spending.ts';
import { type PaymentOutcome, paymentOutcome } from '../own-node/payment-outcome.ts';
import type { BuyerChannel } from './buyer-channel.ts';
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
  const { state } = await paymentOutcome({ ...deposit, network: channel.record.network }, algod);
  // A record that fails now must not cost the response that was paid for: the deposit is looked at again.
  if (state === 'confirmed') await channel.settled(deposit).catch(() => {});
  if (state === 'expired') {
    await channel.expired(deposit);
    await spending.expired(deposit);
  }
  return state;
}
