import { AsyncLocalStorage } from 'node:async_hooks';
import { type ChosenOffer, USD, USD_DECIMALS } from '@avm402/client';
import { X402Error } from '@avm402/core/errors';
import { parsePrice, withSeparators } from '@avm402/core/price';

interface Ceiling {
  /** Millionths of a dollar. */
  readonly amount: bigint;
  /** The same as text. */
  readonly price: string;
}

/** The most that one call of a tool may cost, below the limits: a price that has risen since it was quoted is not paid. */
export class CallCeiling {
  readonly #ceilings = new AsyncLocalStorage<Ceiling | undefined>();

  /**
   * Does a call's work under the ceiling that it named, such as `$0.01`.
   * @throws X402Error `invalid_price`, `price_too_precise`, `price_not_positive`; whatever the work throws
   */
  hold<T>(price: string | undefined, work: () => Promise<T>): Promise<T> {
    const ceiling = price === undefined ? undefined : { price, amount: parsePrice(price, USD_DECIMALS) };
    return this.#ceilings.run(ceiling, work);
  }

  /**
   * Checks an offer that the call is about to pay. An offer without a dollar price is above any ceiling.
   * @throws X402Error `spend_limit_exceeded`
   */
  check({ cost, price }: ChosenOffer): void {
    const ceiling = this.#ceilings.getStore();
    if (ceiling === undefined || (cost.unit === USD && cost.amount <= ceiling.amount)) return;
    throw new X402Error('spend_limit_exceeded', {
      message: `${withSeparators(price)} is above ${ceiling.price}, the most for this call`,
    });
  }
}
