import { RateLimit } from '../callers/rate-limit.ts';

export interface SettlementLimitOptions {
  /** Settlements of one payer that may begin in a minute. Default: no limit. */
  readonly perPayer?: number;
  /** Settlements to one receiver that may begin in a minute. Default: no limit. */
  readonly perReceiver?: number;
}

/**
 * Limits how many settlements may begin. Only verified payments count, so that nobody can use up another payer's share:
 * a garbage signature under a payer's address costs that payer nothing.
 */
export class SettlementLimits {
  readonly #payers: RateLimit | undefined;
  readonly #receivers: RateLimit | undefined;

  constructor({ perPayer, perReceiver }: SettlementLimitOptions, now: () => number) {
    this.#payers = perPayer === undefined ? undefined : new RateLimit({ perMinute: perPayer, now });
    this.#receivers = perReceiver === undefined ? undefined : new RateLimit({ perMinute: perReceiver, now });
  }

  /** Counts a settlement that `check` lets begin. */
  take({ payer, payTo }: { readonly payer: string; readonly payTo: string }): void {
    this.#payers?.take(payer);
    this.#receivers?.take(payTo);
  }

  /** @throws X402Error `too_many_requests` */
  check({ payer, payTo }: { readonly payer: string; readonly payTo: string }): void {
    this.#payers?.check(payer);
    this.#receivers?.check(payTo);
  }
}
