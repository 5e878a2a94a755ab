import type { AlgodClient } from '@avm402/algorand/algod';
import { X402Error } from '@avm402/core/errors';
import { assetKey, type Cost } from './cost.ts';
import type { AlgodOf } from '../own-node/network-access.ts';
import type { JournalEntry, PaymentJournal } from '../journal/payment-journal.ts';
import { blockTime, paymentOutcome } from '../own-node/payment-outcome.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import { describe, hasBudget, type AssetAmount, type Refusal, type SpendPolicy } from './spend-policy.ts';
import { Tally, type Spent } from './tally.ts';

export interface SpendingOptions {
  readonly policy: SpendPolicy;
  readonly algodOf: AlgodOf;
  readonly journal?: PaymentJournal;
  readonly now: () => number;
}

/** What was spent by all who share a journal. */
interface Purse {
  readonly tally: Tally;
  /** Done when the journal has been read. */
  loaded: Promise<void> | undefined;
}

const purses = new WeakMap<PaymentJournal, Purse>();

function purseOf(journal: PaymentJournal | undefined): Purse {
  const purse = (journal && purses.get(journal)) ?? { tally: new Tally(), loaded: undefined };
  if (journal) purses.set(journal, purse);
  return purse;
}

/** Room in the budgets for one payment that is being made. */
export interface Reservation {
  /** The payment was made: records it, before it leaves. Errors: `journal_unavailable`. */
  commit(payment: SentPayment): Promise<void>;
  /** No payment was made. */
  release(): void;
}

/** A payment whose outcome is open, and the node to ask about it. */
interface OpenPayment {
  readonly payment: SentPayment;
  readonly algod: AlgodClient;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Age at which an unconfirmed payment is asked about behind the next payment. */
const RECONCILE_AFTER_MS = 60_000;
/** Payments asked about at the same time: one after another, a node that is far away would fall behind the paying. */
const RECONCILE_AT_ONCE = 8;
const ANY_AGE = -Infinity;
/** Blocks tell the time in whole seconds. */
const BLOCK_TIME_STEP_MS = 1000;

/**
 * What has been spent, where a budget or a journal wants to know. Money that left counts until the own node has seen it confirmed, and from then on for as long as
 * a budget looks back; or until the own node has seen it expire (it never counted, then).
 */
export class Spending {
  readonly #options: SpendingOptions;
  readonly #purse: Purse;
  readonly #tally: Tally;
  #reconciling: Promise<void> | undefined;
  #reconcilingBehind: Promise<void> | undefined;
  /** Ends the asking. */
  readonly #finished = new AbortController();

  constructor(options: SpendingOptions) {
    this.#options = options;
    this.#purse = purseOf(options.journal);
    this.#tally = this.#purse.tally;
  }

  /** Reads the journal, once. Errors: `journal_unavailable`, `journal_corrupt`. */
  load(): Promise<void> {
    const purse = this.#purse;
    purse.loaded ??= this.#read().catch((error: unknown) => {
      purse.loaded = undefined;
      throw error;
    });
    return purse.loaded;
  }

  /** Why an amount does not fit into the budgets. */
  whyNot(amount: AssetAmount, origin: string): Refusal | undefined {
    const cost = this.#costOf(amount);
    const { perOrigin, perHour, perDay } = this.#options.policy.limitsOf(cost);
    const exceeds = (
      limit: bigint | undefined,
      windowMs: number,
      where: string,
      only?: string,
    ): Refusal | undefined => {
      if (limit === undefined) return undefined;
      const total = this.#spent(cost.unit, this.#options.now() - windowMs, only) + cost.amount;
      if (total <= limit) return undefined;
      const [sum, most] = [total, limit].map((of) => describe({ ...cost, amount: of }));
      return { kind: 'limit', reason: `${where} would come to ${sum}, above the limit of ${most}` };
    };
    return (
      exceeds(perHour, HOUR_MS, 'the spending of this hour') ??
      exceeds(perDay, DAY_MS, 'the spending of 24 hours') ??
      exceeds(perOrigin, DAY_MS, `the spending at ${origin} in 24 hours`, origin)
    );
  }

  /** What was spent in one unit since a moment, whoever of those who share the journal spent it. */
  #spent(unit: string, since: number, origin?: string): bigint {
    let total = 0n;
    for (const spent of this.#tally.totals(since, origin)) {
      const cost = this.#costOf(spent);
      if (cost.unit === unit) total += cost.amount;
    }
    return total;
  }

  /** Takes room for a payment. Errors: `spend_limit_exceeded`. */
  reserve(amount: AssetAmount, origin: string): Reservation {
    const refusal = this.whyNot(amount, origin);
    if (refusal) throw new X402Error('spend_limit_exceeded', { message: refusal.reason });
    const spent: Spent = { spent: amount, origin };
    if (this.#options.journal || hasBudget(this.#options.policy.limitsOf(this.#costOf(amount)))) this.#tally.add(spent);
    return {
      commit: async (payment) => {
        this.#tally.sent(spent, payment);
        await this.#record({ event: 'sent', payment });
      },
      release: () => this.#tally.remove(spent),
    };
  }

  /** Records the seller's answer. Errors: `journal_unavailable`. */
  async answered(payment: SentPayment, status: number, settled: boolean): Promise<void> {
    await this.#record({ event: 'answered', at: this.#options.now(), txId: payment.txId, status, settled });
  }

  /** Records that the own node has seen a payment confirmed. Errors: `journal_unavailable`. */
  async confirmed(payment: SentPayment, round: bigint): Promise<void> {
    const spent = this.#tally.of(payment.txId);
    if (spent?.confirmedAt !== undefined) return;
    const at = await this.#confirmationTime(payment, round);
    if (spent) this.#tally.confirm(spent, at);
    await this.#record({ event: 'confirmed', at, txId: payment.txId, round });
  }

  /** When the block was made, on the late side; without it, now. Never before the payment left, whatever clocks say. */
  async #confirmationTime({ network, sentAt }: SentPayment, round: bigint): Promise<number> {
    const { algodOf, now } = this.#options;
    const algod = algodOf(network);
    const { signal } = this.#finished;
    const made = algod && (await blockTime(algod, round, signal).catch(() => undefined));
    return Math.max(made === undefined ? now() : made + BLOCK_TIME_STEP_MS, sentAt);
  }

  /** Records that the own node has seen a payment expire. Errors: `journal_unavailable`. */
  async expired(payment: SentPayment): Promise<void> {
    const spent = this.#tally.of(payment.txId);
    if (spent) this.#tally.remove(spent);
    await this.#record({ event: 'expired', at: this.#options.now(), txId: payment.txId });
  }

  /** Asks the own node about every payment whose outcome is open. */
  reconcile(): Promise<void> {
    this.#reconciling ??= this.#reconcile(ANY_AGE).finally(() => {
      this.#reconciling = undefined;
    });
    return this.#reconciling;
  }

  /** The same for a few old ones, behind the payment at hand. */
  reconcileBehind(): void {
    // An outcome that can't be had now is asked for again.
    this.#reconcilingBehind ??= this.#reconcile(RECONCILE_AFTER_MS)
      .catch(() => {})
      .finally(() => {
        this.#reconcilingBehind = undefined;
      });
  }

  /** Waits until nothing more is asked of the own node, so long at most; then the asking is given up. */
  async finish(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#finished.abort(), graceMs);
    await Promise.allSettled([this.#reconciling, this.#reconcilingBehind]);
    clearTimeout(timer);
  }

  async #reconcile(minAgeMs: number): Promise<void> {
    this.#forgetOld();
    const due = this.#due(minAgeMs);
    for (let start = 0; start < due.length; start += RECONCILE_AT_ONCE) {
      await Promise.all(due.slice(start, start + RECONCILE_AT_ONCE).map((open) => this.#ask(open)));
    }
  }

  async #ask({ payment, algod }: OpenPayment): Promise<void> {
    const outcome = await paymentOutcome(payment, algod, this.#finished.signal);
    if (outcome.state === 'confirmed') await this.confirmed(payment, outcome.round);
    if (outcome.state === 'expired') await this.expired(payment);
    if (outcome.state === 'open') this.#tally.postpone(payment.txId);
  }

  #due(minAgeMs: number): OpenPayment[] {
    const { now, algodOf } = this.#options;
    const most = minAgeMs === ANY_AGE ? Infinity : RECONCILE_AT_ONCE;
    const due = [];
    for (const payment of this.#tally.open()) {
      // All that follow are younger, or were asked about since it was made.
      if (due.length === most || now() - payment.sentAt < minAgeMs) break;
      const algod = algodOf(payment.network);
      if (algod) due.push({ payment, algod });
    }
    return due;
  }

  #forgetOld(): void {
    this.#tally.forget(this.#options.now() - DAY_MS);
  }

  async #read(): Promise<void> {
    const { journal } = this.#options;
    if (!journal) return;
    const known = new Map<string, Spent>();
    for (const entry of await journal.read()) applyEntry(known, entry);
    for (const spent of known.values()) this.#tally.add(spent);
    this.#forgetOld();
    this.#startWithYoungest();
  }

  /**
   * Of payments from before, a node can still tell the youngest: the others must not come first with every process.
   * What is too young to be asked about follows them, as with payments of this process.
   */
  #startWithYoungest(): void {
    const open = [...this.#tally.open()];
    const isDue = ({ sentAt }: SentPayment): boolean => this.#options.now() - sentAt >= RECONCILE_AFTER_MS;
    const inOrder = [...open.filter(isDue).toReversed(), ...open.filter((payment) => !isDue(payment))];
    for (const { txId } of inOrder) this.#tally.postpone(txId);
  }

  /** An asset that is no longer allowed still has its own unit. */
  #costOf(spent: AssetAmount): Cost {
    const { network, asset, amount } = spent;
    return this.#options.policy.costOf(spent) ?? { unit: assetKey(network, asset), amount };
  }

  async #record(entry: JournalEntry): Promise<void> {
    await this.#options.journal?.append(entry);
  }
}

function applyEntry(known: Map<string, Spent>, entry: JournalEntry): void {
  if (entry.event === 'sent') {
    const { payment } = entry;
    known.set(payment.txId, { spent: payment, origin: payment.origin, payment });
    return;
  }
  const spent = known.get(entry.txId);
  if (entry.event === 'expired') known.delete(entry.txId);
  if (entry.event === 'confirmed' && spent) spent.confirmedAt = entry.at;
}
