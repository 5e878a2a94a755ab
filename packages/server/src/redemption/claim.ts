import type { SettleResponse } from '@avm402/core/settle-response';
import { LEASE_MS, type Leases } from './leases.ts';
import { mayBeConfirmed, type Redemption } from './redemption.ts';
import type { StoredResponse } from '../response/held-answer.ts';
import type { RedemptionStore } from './redemption-store.ts';
import { storing } from '../stores/storing.ts';

export interface ClaimContext {
  readonly store: RedemptionStore;
  readonly now: () => number;
  readonly leases: Leases;
  /** Called after each change, so that requests that wait for the payment look again. */
  readonly changed: (txId: string) => void;
}

type Change = Partial<Omit<Redemption, 'txId' | 'version' | 'updatedAt'>>;

/**
 * A payment that this request works on. It keeps its lease alive until it is finished. Every change returns whether it
 * was made: `false` means that the claim was taken for dead and now belongs to another request, which answers for it.
 */
export class Claim {
  readonly #context: ClaimContext;
  readonly #renewal: NodeJS.Timeout;
  readonly #before: Pick<Redemption, 'state' | 'sent' | 'runs' | 'receipt'>;
  /** Whether nothing was known of the payment before. */
  readonly #isFirst: boolean;
  readonly #lost = new AbortController();
  #redemption: Redemption;
  #last: Promise<boolean> = Promise.resolve(true);

  /** `redemption` is the row as just stored, with this claim as its owner; `before` is the row until then. */
  constructor(redemption: Redemption, before: Redemption | undefined, context: ClaimContext) {
    this.#redemption = redemption;
    this.#before = before ?? { state: 'released', sent: false, runs: 0 };
    this.#isFirst = before === undefined;
    this.#context = context;
    this.#renewal = setInterval(() => void this.#renew(), LEASE_MS / 3);
    this.#renewal.unref();
  }

  get redemption(): Redemption {
    return this.#redemption;
  }

  /** Aborted once the claim is known to belong to another request: nothing more of an answer may leave. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether the payment may have been submitted before this claim. */
  get mayHaveBeenSent(): boolean {
    return this.#before.state === 'sending' || mayBeConfirmed(this.#before);
  }

  /** Settlement is about to be asked for, before the handler starts. */
  sendingUnrun(): Promise<boolean> {
    return this.#change({ state: 'sending', sent: true, runs: this.#before.runs });
  }

  /** Settlement is about to be asked for. `response` is the handler's answer, if it is kept. */
  sending(response?: StoredResponse, requirements = this.#redemption.requirements): Promise<boolean> {
    return this.#change({ state: 'sending', sent: true, requirements, ...(response !== undefined && { response }) });
  }

  /** Paid, and nothing is left to do: the response is kept, or nobody can come back for it. */
  settled(receipt: SettleResponse): Promise<boolean> {
    return this.#finish({ state: 'settled', receipt, delivered: true });
  }

  /**
   * Paid. The handler's answer is about to leave, or the handler is about to be started for the first time since. Next,
   * the response is `delivered` or `interrupted`.
   */
  paid(receipt: SettleResponse): Promise<boolean> {
    return this.#change({ state: 'settled', receipt, runs: 1 });
  }

  /** All that was paid for has left; `response` is kept in case the buyer comes back. */
  delivered(response?: StoredResponse): Promise<boolean> {
    return this.#finish({ delivered: true, ...(response !== undefined && { response }) });
  }

  /** Paid, but the response broke off: the buyer may have it run again. */
  interrupted(): Promise<boolean> {
    return this.#finish({});
  }

  /** A node has taken the payment, and the answer leaves before its block; `receipt` says that the outcome is open. */
  accepted(receipt: SettleResponse): Promise<boolean> {
    return this.#finish({ receipt, accepted: true, delivered: true });
  }

  /** The outcome of settlement is unknown; the buyer can take the claim over. */
  unknown(receipt: SettleResponse): Promise<boolean> {
    return this.#finish({ receipt });
  }

  /** Given back unpaid; `receipt` is the refusal, if settlement was asked for. */
  released(receipt?: SettleResponse): Promise<boolean> {
    return this.#finish({ state: 'released', ...(receipt !== undefined && { receipt }) });
  }

  /**
   * Given back after all: settlement was about to be asked for, but no facilitator got the request, or none submitted
   * anything.
   */
  unsent(): Promise<boolean> {
    return this.#finish({ state: 'released', sent: this.#before.sent });
  }

  /** Given back as it was, before anything was started. */
  unstarted(): Promise<boolean> {
    const { state, runs } = this.#before;
    return this.#finish({ state: state === 'claimed' ? 'released' : state, runs });
  }

  /** Paid, but nobody is there to get the handler's answer: its run is left to the buyer who comes back. */
  unrun(): Promise<boolean> {
    return this.#finish({ runs: this.#redemption.runs - 1 });
  }

  /** Ends the claim without a change: it belongs to another request, or the store failed. */
  abandon(): void {
    clearInterval(this.#renewal);
    this.#context.leases.ended(this.#redemption);
  }

  #finish(change: Change): Promise<boolean> {
    clearInterval(this.#renewal);
    return this.#change({ ...change, held: false });
  }

  async #renew(): Promise<void> {
    try {
      await this.#change({});
    } catch {
      // Unless the next renewal is stored, the lease expires, and the next request finds a dead claim.
    }
  }

  /** Makes one change at a time: each starts from the version that the one before it stored. */
  #change(change: Change): Promise<boolean> {
    const next = this.#last.catch(() => true).then((isOurs) => (isOurs ? this.#store(change) : false));
    this.#last = next;
    return next;
  }

  async #store(change: Change): Promise<boolean> {
    const previous = this.#redemption;
    const kept = change.state === 'released' ? withoutResponse(previous) : previous;
    const next: Redemption = { ...kept, ...change, version: previous.version + 1, updatedAt: this.#context.now() };
    const { store } = this.#context;
    const isStored = await storing(async () =>
      this.#isForgettable(next) ? store.remove(previous) : (await store.put(next, previous)) === 'stored',
    );
    if (isStored) {
      this.#redemption = next;
      this.#context.changed(next.txId);
      return true;
    }
    return (await this.#isStillOurs()) ? this.#store(change) : this.#lose();
  }

  /**
   * Whether to remove the row: the payment was given back before settlement was asked for, or with nothing submitted
   * and nothing run. Nothing of it needs to be known, and a stranger could make any number of such rows.
   */
  #isForgettable({ state, sent, runs }: Redemption): boolean {
    const isUntouched = this.#redemption.state === 'claimed' || runs === 0;
    return this.#isFirst && isUntouched && state === 'released' && !sent;
  }

  /**
   * Whether others have changed the row but not taken it: they have recorded what a facilitator says about the payment.
   */
  async #isStillOurs(): Promise<boolean> {
    const { owner, txId, version } = this.#redemption;
    const known = await storing(() => this.#context.store.get(txId));
    if (known?.owner !== owner || known.version === version) return false;
    this.#redemption = { ...this.#redemption, version: known.version };
    return true;
  }

  #lose(): false {
    clearInterval(this.#renewal);
    this.#lost.abort();
    return false;
  }
}

function withoutResponse(redemption: Redemption): Redemption {
  const { response: _response, ...rest } = redemption;
  return rest;
}
