import type { SettleResponse } from '@avm402/core/settle-response';
import type { PaymentRequirements } from '@x402/core/types';
import { Claim, storing } from './claim.ts';
import { type Decision, decide, isBuyer, type Presentation, type Redemption } from './redemption.ts';
import type { RedemptionStore } from './redemption-store.ts';

/** Time without renewal after which a claim's process is taken for dead. */
const LEASE_MS = 30_000;
/** Pause between looks at a claim of another process; changes of our own are told at once. */
const LOOK_MS = 250;

export interface ClaimsOptions {
  readonly store: RedemptionStore;
  readonly now: () => number;
  readonly randomBytes: (length: number) => Uint8Array;
  /** Time that a request waits for a claim at work. */
  readonly maxWaitMs: number;
  /** Default 30,000. */
  readonly leaseMs?: number;
}

export interface TakeOptions {
  /** What the payment was matched with; recorded if it is claimed now. */
  readonly requirements: PaymentRequirements;
  /** Whether the facilitator has found exactly these bytes valid for this request. */
  readonly isVerified: boolean;
}

export interface RecordedRequirements {
  readonly requirements: PaymentRequirements;
  readonly mayClaim: boolean;
}

/** The answer to a presented payment; with a `claim` where this request now works on it. */
export type ClaimOutcome =
  | { readonly decision: 'claim' | 'resume' | 'rerun'; readonly claim: Claim }
  | { readonly decision: 'replay' | 'duplicate' | 'pending'; readonly redemption?: Redemption }
  /** `unverified`: free, but only a valid verdict makes a claim. */
  | { readonly decision: 'unverified' | 'conflict' | 'exhausted' };

/** Finds out what may happen with a presented payment, and takes it for one request at a time. */
export class Claims {
  readonly #options: ClaimsOptions;
  readonly #leaseMs: number;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(options: ClaimsOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
  }

  /**
   * What the payment was matched with when it was claimed. Throws X402Error `store_unavailable`.
   * `mayClaim`: this is its buyer, who is held to what he paid then. Everybody else can only be told what became of it,
   * and only once settlement was asked for.
   */
  async recorded(presented: Presentation): Promise<RecordedRequirements | undefined> {
    const known = await storing(() => this.#options.store.get(presented.txId));
    if (known === undefined) return undefined;
    const mayClaim = isBuyer(known, presented);
    return mayClaim || known.sent ? { requirements: known.requirements, mayClaim } : undefined;
  }

  /**
   * Takes the payment, or says what became of it; waits while another request works on it.
   * @throws X402Error `store_unavailable`
   */
  async take(presented: Presentation, { requirements, isVerified }: TakeOptions): Promise<ClaimOutcome> {
    const deadline = this.#options.now() + this.#options.maxWaitMs;
    for (let hasWaited = false; ; hasWaited = true) {
      const { decision, known } = await this.#look(presented);
      if (decision === 'wait' && this.#options.now() < deadline) {
        await this.#change(presented.txId, deadline);
        continue;
      }
      const isTooLate = hasWaited && isGivenBack(known, presented);
      const step = nextStep(decision, { isVerified, isTooLate });
      if (step !== 'claim' && step !== 'resume' && step !== 'rerun') return withRow(step, known);
      const row = this.#row(step, presented, { requirements, known });
      const put = await storing(() => this.#options.store.put(row));
      if (put === 'payment_id_taken') return { decision: 'conflict' };
      if (put === 'stored') return { decision: step, claim: this.#claim(row, known) };
    }
  }

  /**
   * Records what the facilitator says became of a payment whose claim is dead. Nobody's claim is touched: the row is
   * changed only if it still is what it was.
   */
  async resolve(known: Redemption, receipt: SettleResponse): Promise<void> {
    const state = receipt.success ? 'settled' : 'released';
    const next = { ...known, state, receipt, version: known.version + 1, updatedAt: this.#options.now() } as const;
    await storing(() => this.#options.store.put(next));
    this.#wake(known.txId);
  }

  async #look(presented: Presentation): Promise<{ decision: Decision; known: Redemption | undefined }> {
    const { store, now } = this.#options;
    const known = await storing(() => store.get(presented.txId));
    const { paymentId } = presented;
    if (known === undefined && paymentId !== undefined) {
      const other = await storing(() => store.getByPaymentId(paymentId));
      if (other !== undefined) return { decision: decide(other, presented, now()), known: other };
    }
    return { decision: decide(known, presented, now()), known };
  }

  #row(
    step: 'claim' | 'resume' | 'rerun',
    presented: Presentation,
    { requirements, known }: { requirements: PaymentRequirements; known: Redemption | undefined },
  ): Redemption {
    return step === 'claim' || known === undefined
      ? this.#claimedRow(presented, requirements, known)
      : this.#takenRow(step, known);
  }

  /** A new claim, on a payment that is free. The key stays that of its first claim, in case settle has seen it. */
  #claimedRow(presented: Presentation, requirements: PaymentRequirements, known: Redemption | undefined): Redemption {
    const { version = 0, idempotencyKey = this.#random(), sent = false, runs = 0, receipt } = known ?? {};
    return {
      ...presented,
      ...this.#lease(),
      requirements,
      version: version + 1,
      state: 'claimed',
      idempotencyKey,
      sent,
      runs: sent ? runs + 1 : 1,
      delivered: false,
      ...(receipt === undefined ? {} : { receipt }),
    };
  }

  /** A claim taken over by its buyer. */
  #takenRow(step: 'resume' | 'rerun', known: Redemption): Redemption {
    const change = step === 'rerun' ? { runs: known.runs + 1 } : ({ state: 'sending' } as const);
    return { ...known, ...this.#lease(), ...change, version: known.version + 1 };
  }

  #lease(): Pick<Redemption, 'owner' | 'leaseUntil' | 'updatedAt'> {
    const now = this.#options.now();
    return { owner: this.#random(), leaseUntil: now + this.#leaseMs, updatedAt: now };
  }

  #claim(row: Redemption, known: Redemption | undefined): Claim {
    const { store, now } = this.#options;
    return new Claim(row, known, { store, now, leaseMs: this.#leaseMs, changed: (txId) => this.#wake(txId) });
  }

  #random(): string {
    return Buffer.from(this.#options.randomBytes(16)).toString('hex');
  }

  /** Resolves when the row was changed by this process, or after a while, when another may have changed it. */
  #change(txId: string, deadline: number): Promise<void> {
    const waiting = this.#waiting.get(txId) ?? new Set();
    this.#waiting.set(txId, waiting);
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(txId);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(1, Math.min(LOOK_MS, deadline - this.#options.now())));
      waiting.add(wake);
    });
  }

  #wake(txId: string): void {
    for (const wake of Array.from(this.#waiting.get(txId) ?? [])) wake();
  }
}

interface Circumstances {
  readonly isVerified: boolean;
  /** Whether this request has waited for one that then gave the payment back. */
  readonly isTooLate: boolean;
}

/**
 * What a decision means for this request. Only a valid verdict claims. A payment is not queued for: whoever has waited
 * for another request and sees it fail is told so; but where that one died, somebody has to go on.
 */
function nextStep(
  decision: Decision,
  { isVerified, isTooLate }: Circumstances,
): Exclude<Decision, 'wait'> | 'unverified' {
  if (decision === 'wait') return 'pending';
  if (decision !== 'claim') return decision;
  if (isTooLate) return 'duplicate';
  return isVerified ? 'claim' : 'unverified';
}

/** Whether somebody else had the payment and gave it back. */
function isGivenBack(known: Redemption | undefined, presented: Presentation): boolean {
  return known?.state === 'released' && !isBuyer(known, presented);
}

function withRow(
  decision: Exclude<ClaimOutcome['decision'], 'claim' | 'resume' | 'rerun'>,
  redemption: Redemption | undefined,
): ClaimOutcome {
  return { decision, ...(redemption === undefined ? {} : { redemption }) };
}
