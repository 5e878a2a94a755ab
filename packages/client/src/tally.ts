import type { Cost } from './cost.ts';
import type { SentPayment } from './sent-payment.ts';
import { Timeline } from './timeline.ts';

/** Money that counts against the budgets. */
export interface Spent {
  readonly cost: Cost;
  readonly origin: string;
  /** Absent while the payment is being made. */
  payment?: SentPayment;
  /** Milliseconds since 1970; absent until the own node has seen it confirmed. */
  confirmedAt?: number;
}

interface Sum {
  /** Of what is not confirmed. */
  open: bigint;
  readonly confirmed: Timeline;
}

/** What was spent, kept so that a payment costs the same work however many there were before it. */
export class Tally {
  /** Not confirmed, in the order in which the own node is asked about them. */
  readonly #open = new Set<Spent>();
  /** About in the order of their confirmation. */
  readonly #confirmed = new Set<Spent>();
  readonly #byTxId = new Map<string, Spent>();
  /** By unit, and by unit and origin. */
  readonly #sums = new Map<string, Sum>();

  add(spent: Spent): void {
    if (spent.payment) this.#byTxId.set(spent.payment.txId, spent);
    if (spent.confirmedAt === undefined) this.#open.add(spent);
    else this.#confirmed.add(spent);
    this.#count(spent, spent.cost.amount);
  }

  /** The payment was made. Does nothing to what was not added. */
  sent(spent: Spent, payment: SentPayment): void {
    if (!this.#open.has(spent)) return;
    spent.payment = payment;
    this.#byTxId.set(payment.txId, spent);
  }

  /** The own node has seen it confirmed. Does nothing to what is no longer open. */
  confirm(spent: Spent, at: number): void {
    if (!this.#open.has(spent)) return;
    this.remove(spent);
    spent.confirmedAt = at;
    this.add(spent);
  }

  remove(spent: Spent): void {
    if (!this.#open.delete(spent) && !this.#confirmed.delete(spent)) return;
    if (spent.payment) this.#byTxId.delete(spent.payment.txId);
    this.#count(spent, -spent.cost.amount);
  }

  of(txId: string): Spent | undefined {
    return this.#byTxId.get(txId);
  }

  /** The own node could not tell its end: asked about after the others from now on. Does nothing to what is not open. */
  postpone(txId: string): void {
    const spent = this.#byTxId.get(txId);
    if (spent && this.#open.delete(spent)) this.#open.add(spent);
  }

  /** Payments that left and are not confirmed, in the order in which the own node is asked about them. */
  *open(): Iterable<SentPayment> {
    for (const { payment } of this.#open) if (payment) yield payment;
  }

  /** What is not confirmed, and what was confirmed since a moment: of one unit, and of one origin only, if it is given. */
  total(unit: string, since: number, origin?: string): bigint {
    const sum = this.#sums.get(sumKey(unit, origin));
    return sum ? sum.open + sum.confirmed.since(since) : 0n;
  }

  /** Drops what was confirmed before a moment. */
  forget(moment: number): void {
    for (const spent of this.#confirmed) {
      if (spent.confirmedAt === undefined || spent.confirmedAt >= moment) return;
      this.#confirmed.delete(spent);
      if (spent.payment) this.#byTxId.delete(spent.payment.txId);
      this.#change(spent, ({ confirmed }) => confirmed.forget(moment));
    }
  }

  #count(spent: Spent, amount: bigint): void {
    this.#change(spent, (sum) => {
      if (spent.confirmedAt === undefined) sum.open += amount;
      else sum.confirmed.add(spent.confirmedAt, amount);
    });
  }

  #change({ cost, origin }: Spent, change: (sum: Sum) => void): void {
    for (const key of [sumKey(cost.unit), sumKey(cost.unit, origin)]) {
      const sum = this.#sums.get(key) ?? { open: 0n, confirmed: new Timeline() };
      change(sum);
      if (sum.open === 0n && sum.confirmed.isEmpty) this.#sums.delete(key);
      else this.#sums.set(key, sum);
    }
  }
}

function sumKey(unit: string, origin = ''): string {
  return `${unit} ${origin}`;
}
