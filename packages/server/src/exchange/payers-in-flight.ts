import { X402Error } from '@avm402/core/errors';

/**
 * Limits the verified, unsettled payments that one payer may have at work here: each holds a handler and a response.
 */
export class PayersInFlight {
  readonly #count = new Map<string, number>();

  /**
   * Counts one payment, of at most `maximum`; returns a function that ends it.
   * @throws X402Error `too_many_payments_in_flight`
   */
  enter(payer: string, maximum: number): () => void {
    const count = this.#count.get(payer) ?? 0;
    if (count >= maximum) {
      throw new X402Error('too_many_payments_in_flight', {
        message: `${maximum} payments of this payer are at work; wait for one of them`,
      });
    }
    this.#count.set(payer, count + 1);
    return () => {
      const left = (this.#count.get(payer) ?? 0) - 1;
      if (left > 0) this.#count.set(payer, left);
      else this.#count.delete(payer);
    };
  }
}
