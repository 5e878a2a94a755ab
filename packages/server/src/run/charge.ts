import { X402Error } from '@avm402/core/errors';

/** The member of a response or request that holds its meter; the same in each copy of this package. */
const METER = Symbol.for('@avm402/server: meter');

/**
 * Charges a request that is paid by a channel (scheme `batch-settlement`), or by `upto`, what it really costs: `amount`
 * atomic units are added to what it was charged before. Without a call, it costs the offered amount, which is the most
 * that it may cost. If the handler fails, it costs nothing. A payment of the scheme `exact` costs what was offered,
 * whatever is charged here. The handler names the request by the object that it answers with (Express, Node), or by the
 * `Request` that it got (Hono, Next, and everything else that takes a `Request`).
 *
 * An event stream is charged while it runs: what is written leaves once the charges before it are on record. So charge
 * first, then write.
 *
 * @returns whether the amount could be charged. If false, it is more than the request may still cost: an answer then
 * costs the most that it may, and a stream ends with what was written before.
 * @throws X402Error `invalid_amount` for a negative amount
 * @example
 * ```ts
 * import { charge } from '@avm402/server';
 * import type { Response } from 'express';
 *
 * export function forecast(response: Response, words: readonly string[]): void {
 *   charge(response, BigInt(words.length) * 100n);
 *   response.json({ forecast: words.join(' ') });
 * }
 * ```
 */
export function charge(subject: object, amount: bigint): boolean {
  if (amount < 0n) throw new X402Error('invalid_amount', { message: `a charge of ${amount} is below 0` });
  const meter: unknown = Reflect.get(subject, METER);
  return isMeter(meter) ? meter.add(amount) : true;
}

/** Attaches the `meter` that counts what this answer costs. */
export function meterAnswer(subject: object, meter: Meter): void {
  Object.assign(subject, { [METER]: meter });
}

function isMeter(value: unknown): value is Pick<Meter, 'add'> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'add') === 'function';
}

/** The cost of a metered request so far, in atomic units: what its handler charges, or else all that it may cost. */
export class Meter {
  readonly #maximum: bigint;
  #total = 0n;
  #taken = 0n;
  #isMetered = false;
  #whenUsedUp: (() => void) | undefined;

  constructor(maximum: bigint) {
    this.#maximum = maximum;
  }

  /** Adds to what the request costs. Returns false if the sum would be more than it may cost. */
  add(amount: bigint): boolean {
    this.#isMetered = true;
    if (this.#total + amount <= this.#maximum) {
      this.#total += amount;
      return true;
    }
    // A stream is cut off before what can't be paid for. An answer that is there already costs all that it may.
    if (this.#whenUsedUp) this.#whenUsedUp();
    else this.#total = this.#maximum;
    return false;
  }

  /** What was added since the last call; all that the request may cost if its handler charges nothing itself. */
  take(): bigint {
    if (!this.#isMetered) this.#total = this.#maximum;
    const untaken = this.#total - this.#taken;
    this.#taken = this.#total;
    return untaken;
  }

  /** Marks the answer as a stream. `end` is called when a charge would be more than the answer may cost. */
  streams(end: () => void): void {
    this.#whenUsedUp = end;
  }
}
