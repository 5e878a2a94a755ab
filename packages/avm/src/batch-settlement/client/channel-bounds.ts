import { X402Error } from '@avm402/core/errors';
import { networkOfGenesis, networksEqual } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { parseAtomicAmount } from '@avm402/core/price';
import { MAX_UINT64 } from '../../wire/field-reader.ts';
import { type ChannelTerms, parseChannelTerms } from '../channel-terms.ts';

/** About two weeks on a public network: the longest that a seller that vanishes can hold a deposit. */
const MOST_ROUNDS = 432_000n;

/**
 * The terms of an offer, if a buyer can accept them: a channel on the offer's own network, open for at most two weeks.
 * @throws X402Error `invalid_payment_requirements`, `invalid_amount`, `spend_limit_exceeded`
 */
export function boundedTerms({ extra, network }: Pick<PaymentRequirements, 'extra' | 'network'>): ChannelTerms {
  const terms = parseChannelTerms(extra);
  if (!networksEqual(networkOfGenesis(terms.genesisHash), network)) {
    throw new X402Error('invalid_payment_requirements', {
      message: 'the genesis hash of the channel is not that of its network',
    });
  }
  if (terms.minRounds <= MOST_ROUNDS) return terms;
  throw new X402Error('spend_limit_exceeded', {
    message: `a channel would have to stay open for ${terms.minRounds} rounds`,
  });
}

/** The bounds of a buyer's deposit. */
export interface DepositBounds {
  /** How many times the price to deposit, as far as the limit allows. */
  readonly multiple: bigint;
  /** The part of an amount that may be deposited, atomic units. */
  readonly within: (amount: bigint) => bigint;
}

/**
 * The deposit for an offer, atomic units: at least its price and the seller's minimum, never above the limit.
 * @throws X402Error `spend_limit_exceeded`, `invalid_amount`
 */
export function boundedDeposit(
  { amount }: Pick<PaymentRequirements, 'amount'>,
  { minDeposit }: Pick<ChannelTerms, 'minDeposit'>,
  { multiple, within }: DepositBounds,
): bigint {
  const price = parseAtomicAmount(amount);
  const least = minDeposit > price ? minDeposit : price;
  const wanted = multiple * price > least ? multiple * price : least;
  const deposit = within(wanted < MAX_UINT64 ? wanted : MAX_UINT64);
  if (deposit >= least) return deposit;
  throw new X402Error('spend_limit_exceeded', {
    message: `a channel needs a deposit of ${least} atomic units, the limit is ${deposit}`,
  });
}
