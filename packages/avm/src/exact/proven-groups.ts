import type { PaymentGroup } from './payment.ts';

/**
 * Groups whose id and signature were found right lately, by exactly what was sent. Settle brings the very group that
 * verify brought: it is decoded, and its signature verified, once.
 */
export class ProvenGroups {
  readonly #capacity: number;
  readonly #groups = new Map<string, PaymentGroup>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  find(payload: Readonly<Record<string, unknown>>): PaymentGroup | undefined {
    const key = keyOf(payload);
    return key === undefined ? undefined : this.#groups.get(key);
  }

  /** Keeps a group, and lets go of the oldest one when there are too many. */
  add(payload: Readonly<Record<string, unknown>>, group: PaymentGroup): void {
    const key = keyOf(payload);
    if (key !== undefined) this.#groups.set(key, group);
    const [oldest] = this.#groups.keys();
    if (this.#groups.size > this.#capacity && oldest !== undefined) this.#groups.delete(oldest);
  }
}

/** Everything that the group is read from. Undefined for what is no payload of this scheme. */
function keyOf({ paymentGroup, paymentIndex }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof paymentIndex !== 'number' || !Array.isArray(paymentGroup)) return undefined;
  const isText = paymentGroup.every((member) => typeof member === 'string');
  return isText ? `${paymentIndex} ${paymentGroup.join(' ')}` : undefined;
}
