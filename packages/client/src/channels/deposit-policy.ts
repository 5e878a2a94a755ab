import type { ChannelTerms } from '@avm402/avm/batch-settlement';
import { boundedDeposit } from '@avm402/avm/batch-settlement/client';
import { isX402Error } from '@avm402/core/errors';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { parsePrice, USD_DECIMALS } from '@avm402/core/price';
import { type AssetAmount, USD } from '../budget/cost.ts';
import type { Refusal, SpendPolicy } from '../budget/spend-policy.ts';
import { depositShown, type Deposit } from '../offers/choose-offer.ts';

/** Options for the size of a buyer's deposits in a channel. */
export interface DepositOptions {
  /** How many times the price is deposited, within `maxDeposit`. Default 100. */
  readonly depositMultiple?: number;
  /** The most that one deposit may be. Default: the limit for one payment (`spend.perPayment`). */
  readonly maxDeposit?: string;
}

const DEFAULT_MULTIPLE = 100;

/** Decides what is deposited for an offer. */
export class DepositPolicy {
  readonly #policy: SpendPolicy;
  readonly #multiple: bigint;
  readonly #maxDollars: bigint | undefined;

  /** @throws X402Error `invalid_price`, `price_too_precise`, `price_not_positive` */
  constructor(policy: SpendPolicy, { depositMultiple = DEFAULT_MULTIPLE, maxDeposit }: DepositOptions) {
    this.#policy = policy;
    this.#multiple = BigInt(depositMultiple);
    this.#maxDollars = maxDeposit === undefined ? undefined : parsePrice(maxDeposit, USD_DECIMALS);
  }

  /**
   * The amount to deposit for an offer, in atomic units of its asset, or the reason why no channel is opened for it.
   */
  depositFor(offer: PaymentRequirements, terms: ChannelTerms): bigint | Refusal {
    const within = (amount: bigint): bigint => this.#within(offer, amount);
    try {
      return boundedDeposit(offer, terms, { multiple: this.#multiple, within });
    } catch (error) {
      if (isX402Error(error)) return { kind: 'limit', reason: error.message };
      throw error;
    }
  }

  /** A deposit as it is shown for confirmation. */
  shown(amount: AssetAmount): Deposit {
    return depositShown(amount, this.#policy);
  }

  /** The amount, or the limit if that is less. */
  #within({ network, asset }: PaymentRequirements, amount: bigint): bigint {
    const cost = this.#policy.costOf({ network, asset, amount });
    if (!cost) return 0n;
    const limit = (cost.unit === USD ? this.#maxDollars : undefined) ?? this.#policy.limitsOf(cost).perPayment;
    return cost.amount <= limit ? amount : (amount * limit) / cost.amount;
  }
}
