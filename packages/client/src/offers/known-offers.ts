import { BoundedMap } from '@avm402/core/bounded-map';
import { decodePaymentRequiredHeader } from '@avm402/core/headers';
import type { PaymentRequired } from '@avm402/core/payment-required';

const MOST_OFFERS = 32;

/** Offers by the exact text of their header: an offer that comes again and again is decoded once. */
export class KnownOffers {
  readonly #offers = new BoundedMap<string, PaymentRequired>(MOST_OFFERS);

  /**
   * The result is frozen, because many requests share it.
   * @throws as decodePaymentRequiredHeader
   */
  readonly decode = (header: string): PaymentRequired => {
    const known = this.#offers.get(header);
    if (known) return known;
    const required = decodePaymentRequiredHeader(header);
    freeze(required);
    this.#offers.set(header, required);
    return required;
  };
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}
