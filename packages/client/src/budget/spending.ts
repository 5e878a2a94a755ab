import { X402Error } from '@avm402/core/errors';
import { DAY_MS, HOUR_MS, LONGEST_TIMER_MS } from '@avm402/core/durations';
import { loadedOnce } from '@avm402/core/loaded-once';
import { type AssetAmount, assetKey, type Cost, costInWords, USD } from './cost.ts';
import type { AlgodOf } from '../own-node/network-access.ts';
import type { JournalEntry, PaymentJournal } from '../journal/payment-journal.ts';
import { blockTime, type PaymentOutcome, paymentOutcome, type TrackedPayment } from '../own-node/payment-outcome.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import { FollowedPayments } from './followed-payments.ts';
import { hasBudget, type Refusal, type SpendPolicy } from './spend-policy.ts';
import { nextOf, spentOf, type UnitSpending } from './spending-report.ts';
import { reduced, SpendTotals, type Spent } from './spend-totals.ts';

export interface SpendingOptions {
  readonly policy: SpendPolicy;
  readonly algodOf: AlgodOf;
  readonly journal?: PaymentJournal;
  readonly now: () => number;
  /** Called with the outcome of each payment that was followed. */
  readonly onOutcome?: ((payment: SentPayment, outcome: PaymentOutcome) => void) | undefined;
}

/** The spending of all payers that share a journal. */
interface SharedBudget {
  readonly totals: SpendTotals;
  /** Reads the journal. */
  load?: () => Promise<void>;
}

const sharedBudgets = new WeakMap<PaymentJournal, SharedBudget>();

function budgetOf(journal: PaymentJournal | undefined): SharedBudget {
  const budget = (journal && sharedBudgets.get(journal)) ?? { totals: new SpendTotals() };
  if (journal) sharedBudgets.set(journal, budget);
  return budget;
}

/** Room in the budgets for one payment that is being made. */
export interface Reservation {
  /** Records the payment before it leaves. Rejects with what the journal throws. */
  commit(payment: SentPayment): Promise<void>;
  /** No payment was made: gives the room back. */
  release(): void;
}

type Confirmed = Extract<PaymentOutcome, { state: 'confirmed' }>;
/** `confirmed`, or `forgotten`, which has no round. */
type Counted = Pick<PaymentOutcome, 'state'> & Partial<Omit<Confirmed, 'state'>>;

/** Age at which the buyer's node is asked about an unconfirmed payment, in the background of the next payment. */
const RECONCILE_AFTER_MS = 60_000;
/** Payments that are asked about at the same time. One by one, a distant node would fall behind. */
const RECONCILE_AT_ONCE = 8;
const ANY_AGE = -Infinity;
/** Blocks give the time in whole seconds. */
const BLOCK_TIME_STEP_MS = 1000;

/**
 * Tracks spending for the budgets and the journal. Money that left counts until the buyer's node has seen it expire;
 * once that node has seen it confirmed, or can't tell any more, it counts for as long as a budget looks back.
 */
export class Spending {
  readonly #options: SpendingOptions;
  readonly #shared: SharedBudget;
  readonly #totals: SpendTotals;
  #reconciling: Promise<void> | undefined;
  #reconcilingBehind: Promise<void> | undefined;
  readonly #followed: FollowedPayments;
  /** Stops asking the buyer's node. */
  readonly #finished = new AbortController();

  constructor(options: SpendingOptions) {
    this.#options = options;
    this.#shared = budgetOf(options.journal);
    this.#totals = this.#shared.totals;
    this.#followed = new FollowedPayments({
      learn: (payment) => this.learn(payment),
      onOutcome: options.onOutcome,
      finished: this.#finished.signal,
    });
  }

  /** Reads the journal, once. Rejects with what the journal throws. */
  load(): Promise<void> {
    this.#shared.load ??= loadedOnce(() => this.#read());
    return this.#shared.load();
  }

  /** The reason why an amount does not fit into the budgets. */
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
      const [sum, most] = [total, limit].map((of) => costInWords({ ...cost, amount: of }));
      return { kind: 'limit', reason: `${where} would come to ${sum}, above the limit of ${most}` };
    };
    return (
      exceeds(perHour, HOUR_MS, 'the spending of this hour') ??
      exceeds(perDay, DAY_MS, 'the spending of 24 hours') ??
      exceeds(perOrigin, DAY_MS, `the spending at ${origin} in 24 hours`, origin)
    );
  }

  /** What was spent of each unit, and what the limits still allow. Dollars come first. */
  report(): UnitSpending[] {
    const since = this.#options.now() - DAY_MS;
    const units = [...this.#totals.sums(since)].map((spent) => this.#costOf(spent).unit);
    return [...new Set([USD, ...units])].map((unit) => this.#reportOf(unit));
  }

  #reportOf(unit: string): UnitSpending {
    const { policy, now } = this.#options;
    const { perPayment, perHour, perDay, perOrigin } = policy.limitsOf({ unit, amount: 0n });
    const hour = spentOf(this.#spent(unit, now() - HOUR_MS), perHour);
    const day = spentOf(this.#spent(unit, now() - DAY_MS), perDay);
    const origins = this.#totals.origins
      .map((origin) => ({ origin, ...spentOf(this.#spent(unit, now() - DAY_MS, origin), perOrigin) }))
      .filter(({ spent }) => spent > 0n);
    return { unit, next: nextOf(perPayment, hour, day), hour, day, origins };
  }

  /** The spending of all payers that share the journal, in one unit, since a moment. */
  #spent(unit: string, since: number, origin?: string): bigint {
    let total = 0n;
    for (const spent of this.#totals.sums(since, origin)) {
      const cost = this.#costOf(spent);
      if (cost.unit === unit) total += cost.amount;
    }
    return total;
  }

  /**
   * Reserves room in the budgets.
   * @throws X402Error `spend_limit_exceeded`
   */
  reserve(amount: AssetAmount, origin: string): Reservation {
    const refusal = this.whyNot(amount, origin);
    if (refusal) throw new X402Error('spend_limit_exceeded', { message: refusal.reason });
    const spent: Spent = { spent: amount, origin };
    if (this.#options.journal || hasBudget(this.#options.policy.limitsOf(this.#costOf(amount))))
      this.#totals.add(spent);
    return {
      commit: async (payment) => {
        this.#totals.sent(spent, payment);
        await this.#record({ event: 'sent', payment });
      },
      release: () => this.#totals.remove(spent),
    };
  }

  /** Records the seller's answer. Rejects with what the journal throws. */
  async answered(payment: SentPayment, status: number, settled: boolean): Promise<void> {
    await this.#record({ event: 'answered', at: this.#options.now(), txId: payment.txId, status, settled });
  }

  /**
   * Asks the buyer's node what became of a payment, and counts it accordingly. A journal that fails here must not cost
   * the response that was paid for: the node is asked again later.
   * @throws nothing but the signal's reason
   */
  async learn(payment: TrackedPayment, signal = this.#finished.signal): Promise<PaymentOutcome> {
    const algod = this.#options.algodOf(payment.network);
    const outcome: PaymentOutcome = algod ? await paymentOutcome(payment, algod, signal) : { state: 'open' };
    if (outcome.state === 'expired') await this.#expired(payment).catch(() => {});
    else if (outcome.state !== 'open') await this.#counted(payment, outcome).catch(() => {});
    void this.#followed.tellOutcome(payment.txId, outcome);
    return outcome;
  }

  /**
   * Asks the buyer's node from time to time, in the background, what became of a payment whose answer came before its
   * block. Until that is known it counts as any payment that left.
   */
  follow(payment: SentPayment): void {
    if (this.#options.algodOf(payment.network)) this.#followed.follow(payment);
  }

  /** It counts from its block on. If nobody can tell any more whether there is one, it counts from now on. */
  async #counted({ txId }: TrackedPayment, { round, charge }: Counted): Promise<void> {
    const spent = this.#totals.of(txId);
    if (!spent?.payment || spent.confirmedAt !== undefined) return;
    const at = await this.#confirmationTime(spent.payment, round);
    // Somebody else may have asked at the same time.
    if (!this.#totals.confirm(spent, at)) return;
    await this.#record({ at, txId, ...(round === undefined ? { event: 'forgotten' } : { event: 'confirmed', round }) });
    // The rest of the maximum was never taken.
    if (charge) await this.returned({ txId }, spent.payment.amount - charge.amount);
  }

  /**
   * The latest time at which the block can have been made, or the current time if that is unknown; never before the
   * payment left.
   */
  async #confirmationTime({ network, sentAt }: SentPayment, round: bigint | undefined): Promise<number> {
    const { algodOf, now } = this.#options;
    const algod = round !== undefined && algodOf(network);
    const made = algod && (await blockTime(algod, round, this.#finished.signal).catch(() => undefined));
    return Math.max(made ? made + BLOCK_TIME_STEP_MS : now(), sentAt);
  }

  /**
   * Records that a part of a deposit came back, or that a part of a maximum was not taken. Rejects with what the
   * journal throws.
   */
  async returned({ txId }: Pick<SentPayment, 'txId'>, amount: bigint): Promise<void> {
    if (amount <= 0n) return;
    const spent = this.#totals.of(txId);
    if (spent) this.#totals.reduce(spent, amount);
    await this.#record({ event: 'returned', at: this.#options.now(), txId, amount });
  }

  async #expired({ txId }: TrackedPayment): Promise<void> {
    const spent = this.#totals.of(txId);
    if (!spent) return;
    this.#totals.remove(spent);
    await this.#record({ event: 'expired', at: this.#options.now(), txId });
  }

  /** Asks the buyer's node about every payment whose outcome is open. */
  reconcile(): Promise<void> {
    this.#reconciling ??= this.#reconcile(ANY_AGE).finally(() => {
      this.#reconciling = undefined;
    });
    return this.#reconciling;
  }

  /** Asks about a few old payments, in the background. */
  reconcileBehind(): void {
    // A question that failed is asked again later.
    this.#reconcilingBehind ??= this.#reconcile(RECONCILE_AFTER_MS)
      .catch(() => {})
      .finally(() => {
        this.#reconcilingBehind = undefined;
      });
  }

  /** Waits at most `graceMs` for the buyer's node, then stops asking it. */
  async finish(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#finished.abort(), Math.min(graceMs, LONGEST_TIMER_MS));
    await Promise.allSettled([this.#reconciling, this.#reconcilingBehind]);
    clearTimeout(timer);
  }

  async #reconcile(minAgeMs: number): Promise<void> {
    this.#forgetOld();
    const due = this.#due(minAgeMs);
    for (let start = 0; start < due.length; start += RECONCILE_AT_ONCE) {
      await Promise.all(due.slice(start, start + RECONCILE_AT_ONCE).map((payment) => this.learn(payment)));
    }
    for (const { txId } of due) this.#totals.postpone(txId);
  }

  #due(minAgeMs: number): SentPayment[] {
    const { now, algodOf } = this.#options;
    const most = minAgeMs === ANY_AGE ? Infinity : RECONCILE_AT_ONCE;
    const due = [];
    for (const payment of this.#totals.open()) {
      // The rest are younger, or were asked about more recently.
      if (due.length === most || now() - payment.sentAt < minAgeMs) break;
      if (algodOf(payment.network)) due.push(payment);
    }
    return due;
  }

  #forgetOld(): void {
    this.#totals.forget(this.#options.now() - DAY_MS);
  }

  async #read(): Promise<void> {
    const { journal } = this.#options;
    if (!journal) return;
    const known = new Map<string, Spent>();
    for (const entry of await journal.read()) applyEntry(known, entry);
    for (const spent of known.values()) this.#totals.add(spent);
    this.#forgetOld();
    this.#startWithYoungest();
  }

  /**
   * Asks about the youngest of the earlier payments first: a node may have forgotten the older ones, which must not
   * come first in every process. Payments that are too young to be asked about follow, as they do within a process.
   */
  #startWithYoungest(): void {
    const open = [...this.#totals.open()];
    const isDue = ({ sentAt }: SentPayment): boolean => this.#options.now() - sentAt >= RECONCILE_AFTER_MS;
    const inOrder = [...open.filter(isDue).toReversed(), ...open.filter((payment) => !isDue(payment))];
    for (const { txId } of inOrder) this.#totals.postpone(txId);
  }

  /** An asset that the policy doesn't allow has a unit of its own. */
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
  if (!spent) return;
  if (entry.event === 'expired') known.delete(entry.txId);
  else if (entry.event === 'returned') spent.spent = reduced(spent.spent, entry.amount);
  else if (entry.event !== 'answered') spent.confirmedAt = entry.at;
}
