import type { SettleResponse } from '@avm402/core/settle-response';
import type { PaymentRequirements } from '@x402/core/types';
import { Claim, type ClaimContext } from './claim.ts';
import { KnownPayments } from './known-payments.ts';
import { Leases } from './leases.ts';
import { decide, isBuyer, type Presentation, type Redemption } from './redemption.ts';
import type { PutOutcome, RedemptionStore } from './redemption-store.ts';
import { storing } from '../stores/storing.ts';

export interface ClaimsOptions {
  readonly store: RedemptionStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonicNow: () => number;
  readonly randomBytes: (length: number) => Uint8Array;
  /** How long a request waits for a claim at work. */
  readonly maxWaitMs: number;
}

/** A payment that a valid verdict may claim. */
interface FreePayment {
  readonly decision: 'free';
  readonly known?: Redemption;
  /** The terms that settlement was asked for with; absent if it was not, and then today's offers count. */
  readonly requirements?: PaymentRequirements;
}

/** A free payment, and the offer that it pays according to a valid verdict. */
export type MatchedPayment = FreePayment & Required<Pick<FreePayment, 'requirements'>>;

/** The answer to a presented payment; it has a `claim` if this request now works on the payment. */
export type ClaimOutcome =
  | { readonly decision: 'claim' | 'resume' | 'rerun'; readonly claim: Claim }
  | { readonly decision: 'replay' | 'duplicate' | 'pending'; readonly redemption: Redemption }
  | { readonly decision: 'conflict' | 'exhausted' };

type Seen = FreePayment | Exclude<ClaimOutcome, { decision: 'claim' }>;

/** Finds out what may happen with a presented payment, and gives it to one request at a time. */
export class Claims {
  readonly #options: ClaimsOptions;
  readonly #leases: Leases;
  readonly #context: ClaimContext;
  readonly known: KnownPayments;

  constructor(options: ClaimsOptions) {
    this.#options = options;
    this.#leases = new Leases(options.monotonicNow);
    this.known = new KnownPayments(options.store, options.monotonicNow);
    this.#context = { ...options, leases: this.#leases, changed: (txId) => this.known.changed(txId) };
  }

  /**
   * Says what became of a payment, or that it is free; waits while another request works on it. If a dead claim left a
   * settlement or a run behind, takes it over for its buyer.
   * @throws X402Error `store_unavailable`
   */
  async look(presented: Presentation): Promise<Seen> {
    const { now, monotonicNow, maxWaitMs } = this.#options;
    const deadline = monotonicNow() + maxWaitMs;
    let known = await this.known.find(presented);
    for (let waitedFor: Redemption | undefined; ;) {
      if (known === undefined) {
        return waitedFor === undefined ? { decision: 'free' } : afterWaiting(waitedFor, undefined, presented);
      }
      const decision = decide(known, presented, { now: now(), isAtWork: this.#leases.isAtWork(known) });
      if (decision === 'claim') return afterWaiting(waitedFor, known, presented);
      if (decision === 'resume' || decision === 'rerun') {
        const claim = await this.#takeOver(decision, known);
        if (claim !== undefined) return { decision, claim };
      } else if (decision !== 'wait') {
        return { decision, redemption: known };
      } else if (monotonicNow() >= deadline) {
        return { decision: 'pending', redemption: known };
      }
      waitedFor = known;
      known = await (decision === 'wait' ? this.known.next(presented, deadline) : this.known.find(presented));
    }
  }

  /**
   * Claims a free payment. If another request was faster, says what became of the payment there.
   * @throws X402Error `store_unavailable`
   */
  async claim(presented: Presentation, matched: MatchedPayment): Promise<ClaimOutcome> {
    const row = this.#claimedRow(presented, matched);
    const put = await this.#put(row, matched.known);
    if (put === 'stored') return { decision: 'claim', claim: new Claim(row, matched.known, this.#context) };
    if (put === 'payment_id_taken') return { decision: 'conflict' };
    const seen = await this.look(presented);
    if (seen.decision !== 'free') return seen;
    return this.claim(presented, { requirements: matched.requirements, ...seen });
  }

  /** Whether a request works on the payment of a row. */
  isAtWork(redemption: Redemption): boolean {
    return this.#leases.isAtWork(redemption);
  }

  /**
   * Takes a dead claim from its request, which may have stood still and could go on; false if the row has changed
   * meanwhile. Its buyer may come back for it.
   */
  async end(known: Redemption): Promise<boolean> {
    const next = { ...known, ...this.#held(), held: false, version: known.version + 1 };
    return (await storing(() => this.#options.store.put(next, known))) === 'stored';
  }

  /**
   * Records what the facilitator says about a payment whose claim is dead. Nobody's claim is touched: the row is
   * changed only if it still is what it was.
   */
  async resolve(known: Redemption, receipt: SettleResponse): Promise<void> {
    const state = receipt.success ? 'settled' : 'released';
    const next = { ...known, state, receipt, version: known.version + 1, updatedAt: this.#options.now() } as const;
    await storing(() => this.#options.store.put(next, known));
    this.known.changed(known.txId);
  }

  /** The row of a new claim on a free payment. The key stays that of its first claim, in case settle has seen it. */
  #claimedRow(presented: Presentation, { known, requirements }: MatchedPayment): Redemption {
    const { txId, groupDigest, payer, route, paymentId, fingerprint } = presented;
    const { version = this.#firstVersion(), idempotencyKey = this.#random(), sent = false } = known ?? {};
    const { runs = 0, receipt } = known ?? {};
    return {
      txId,
      groupDigest,
      payer,
      route,
      requirements,
      ...(paymentId !== undefined && { paymentId }),
      ...(fingerprint !== undefined && { fingerprint }),
      ...this.#held(),
      version: version + 1,
      state: 'claimed',
      idempotencyKey,
      sent,
      runs: sent ? runs + 1 : 1,
      delivered: false,
      ...(receipt !== undefined && { receipt }),
    };
  }

  /** Takes over, for its buyer, what a dead claim has left; undefined if another request was faster. */
  async #takeOver(decision: 'resume' | 'rerun', known: Redemption): Promise<Claim | undefined> {
    const change = decision === 'rerun' ? { runs: known.runs + 1 } : ({ state: 'sending' } as const);
    const row = { ...known, ...this.#held(), ...change, version: known.version + 1 };
    const put = await this.#put(row, known);
    return put === 'stored' ? new Claim(row, known, this.#context) : undefined;
  }

  /** Writes the row of a claim. One that is on record though its write has failed is a dead one. */
  async #put(row: Redemption, known: Redemption | undefined): Promise<PutOutcome> {
    return storing(() => this.#options.store.put(row, known)).catch((error: unknown) => {
      this.#leases.ended(row);
      throw error;
    });
  }

  #held(): Pick<Redemption, 'owner' | 'held' | 'updatedAt'> {
    return { owner: this.#random(), held: true, updatedAt: this.#options.now() };
  }

  #random(): string {
    return Buffer.from(this.#options.randomBytes(16)).toString('hex');
  }

  /** Random, so that a writer that saw a row before it was removed does not take a new row for that one. */
  #firstVersion(): number {
    return Buffer.from(this.#options.randomBytes(6)).readUIntBE(0, 6);
  }
}

/**
 * A payment that nobody works on, as this request finds it. Requests don't queue for a payment: a request that waited
 * for another one is a duplicate once that one has given the payment back, but goes on if that one died. The buyer may
 * always go on. A request with different bytes may, too, because the bytes that were given back may be a thief's copy.
 */
function afterWaiting(waitedFor: Redemption | undefined, known: Redemption | undefined, presented: Presentation): Seen {
  const isGivenBack = waitedFor !== undefined && (known === undefined || known.state === 'released');
  const isSame = waitedFor?.groupDigest === presented.groupDigest;
  if (isGivenBack && isSame && !isBuyer(waitedFor, presented)) {
    return { decision: 'duplicate', redemption: known ?? waitedFor };
  }
  return {
    decision: 'free',
    ...(known !== undefined && { known }),
    ...(known?.sent ? { requirements: known.requirements } : {}),
  };
}
