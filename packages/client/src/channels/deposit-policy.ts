import { encodeBase64 } from '@avm402/algorand/base64';
import { type ChannelTerms, parseChannelTerms } from '@avm402/avm/batch-settlement';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { algorandNetworkLong, networksEqual } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { parsePrice } from '@avm402/core/price';
import { USD, USD_DECIMALS } from '../budget/cost.ts';
import type { Refusal, SpendPolicy } from '../budget/spend-policy.ts';

/** How much a buyer deposits in a channel. */
export interface DepositOptions {
  /** Deposits as many times the price, within `maxDeposit`. Default 100. */
  readonly depositMultiple?: number;
  /** Most that one deposit may be. Default: what one payment may cost (`spend.perPayment`). */
  readonly maxDeposit?: string;
}

const DEFAULT_MULTIPLE = 100;
/** About two weeks on a public network: for so long a seller that vanishes keeps a deposit. */
const MOST_ROUNDS = 432_000n;

/** Decides what is deposited for an offer. */
export class DepositPolicy {
  readonly #policy: SpendPolicy;
  readonly #multiple: bigint;
  readonly #maxDollars: bigint | undefined;

  /** @throws X402Error `invalid_spend_options`, `invalid_price`, `price_too_precise`, `price_not_positive` */
  constructor(policy: SpendPolicy, { depositMultiple = DEFAULT_MULTIPLE, maxDeposit }: DepositOptions) {
    if (!Number.isSafeInteger(depositMultiple) || depositMultiple < 1) {
      throw new X402Error('invalid_spend_options', { message: 'depositMultiple must be a whole number from 1 up' });
    }
    this.#policy = policy;
    this.#multiple = BigInt(depositMultiple);
    this.#maxDollars = maxDeposit === undefined ? undefined : parsePrice(maxDeposit, USD_DECIMALS);
  }

  /** What to deposit for an offer, atomic units of its asset; or why no channel is opened for it. */
  depositFor(offer: PaymentRequirements): bigint | Refusal {
    const terms = termsOf(offer);
    if ('reason' in terms) return terms;
    const price = BigInt(offer.amount);
    const least = terms.minDeposit > price ? terms.minDeposit : price;
    const wanted = this.#multiple * price;
    const deposit = this.#within(offer, wanted > least ? wanted : least);
    if (deposit >= least) return deposit;
    return { kind: 'limit', reason: `a channel needs a deposit of ${least} atomic units, the limit is ${deposit}` };
  }

  /** The amount, or the limit if that is less. */
  #within({ network, asset }: PaymentRequirements, amount: bigint): bigint {
    const cost = this.#policy.costOf({ network, asset, amount });
    if (!cost) return 0n;
    const limit = (cost.unit === USD ? this.#maxDollars : undefined) ?? this.#policy.limitsOf(cost).perPayment;
    return cost.amount <= limit ? amount : (amount * limit) / cost.amount;
  }
}

/** The terms of a channel; or why they are not taken. */
export function termsOf({ extra, network }: PaymentRequirements): ChannelTerms | Refusal {
  try {
    const terms = parseChannelTerms(extra);
    const reason =
      (!networksEqual(algorandNetworkLong(encodeBase64(terms.genesisHash)), network) &&
        'the genesis hash of the channel is not that of its network') ||
      (terms.minRounds > MOST_ROUNDS && `a channel would have to stay open for ${terms.minRounds} rounds`);
    return reason === false ? terms : { kind: 'policy', reason };
  } catch (error) {
    if (isX402Error(error)) return { kind: 'policy', reason: error.message };
    throw error;
  }
}
