import { type AssetAmount, assetKey } from './cost.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import { Timeline } from './timeline.ts';

/** Money that counts against the budgets. */
export interface Spent {
  spent: AssetAmount;
  readonly origin: string;
  /** Absent until the payment is made. */
  payment?: SentPayment;
  /** Milliseconds since 1970; absent until the buyer's node has seen it confirmed, or can't tell any more. */
  confirmedAt?: number;
}

/** Stands for all origins together: no origin has this name. */
const EVERYWHERE = '';

/** The total spent of one asset. */
interface Sum extends Omit<AssetAmount, 'amount'> {
  /** The part that is not confirmed. */
  open: bigint;
  readonly confirmed: Timeline;
}

/**
 * Totals of what was spent, by asset. Adding a payment takes the same work however many came before it. Each policy
 * that shares the totals decides what an amount is worth.
 */
export class SpendTotals {
  /** Not confirmed, in the order in which the buyer's node is asked about them. */
  readonly #open = new Set<Spent>();
  /** Roughly in order of confirmation. */
  readonly #confirmed = new Set<Spent>();
  readonly #byTxId = new Map<string, Spent>();
  /** By origin (and for all origins together), then by asset. */
  readonly #sums = new Map<string, Map<string, Sum>>();

  add(spent: Spent): void {
    if (spent.payment) this.#byTxId.set(spent.payment.txId, spent);
    if (spent.confirmedAt === undefined) this.#open.add(spent);
    else this.#confirmed.add(spent);
    this.#count(spent, spent.spent.amount);
  }

  /** The payment was made. Does nothing if it is not open. */
  sent(spent: Spent, payment: SentPayment): void {
    if (!this.#open.has(spent)) return;
    spent.payment = payment;
    this.#byTxId.set(payment.txId, spent);
  }

  /**
   * The buyer's node has seen it confirmed, or can't tell any more. Returns false, and does nothing, if it is no longer
   * open.
   */
  confirm(spent: Spent, at: number): boolean {
    if (!this.#open.has(spent)) return false;
    this.remove(spent);
    spent.confirmedAt = at;
    this.add(spent);
    return true;
  }

  remove(spent: Spent): void {
    if (!this.#open.delete(spent) && !this.#confirmed.delete(spent)) return;
    if (spent.payment) this.#byTxId.delete(spent.payment.txId);
    this.#count(spent, -spent.spent.amount);
  }

  /** A part of it came back. Does nothing if it is no longer counted. */
  reduce(spent: Spent, amount: bigint): void {
    if (!this.#open.has(spent) && !this.#confirmed.has(spent)) return;
    const left = reduced(spent.spent, amount);
    this.#count(spent, left.amount - spent.spent.amount);
    spent.spent = left;
  }

  of(txId: string): Spent | undefined {
    return this.#byTxId.get(txId);
  }

  /**
   * The buyer's node does not know its outcome, and is asked about it after the others from now on. Does nothing if it
   * is not open.
   */
  postpone(txId: string): void {
    const spent = this.#byTxId.get(txId);
    if (spent && this.#open.delete(spent)) this.#open.add(spent);
  }

  /** Payments that left and are not confirmed, in the order in which the buyer's node is asked about them. */
  *open(): Iterable<SentPayment> {
    for (const { payment } of this.#open) if (payment) yield payment;
  }

  /** Sums by asset of what is not confirmed and what was confirmed since a moment; at one origin, if it is given. */
  *sums(since: number, origin = EVERYWHERE): Iterable<AssetAmount> {
    for (const { open, confirmed, ...asset } of this.#sums.get(origin)?.values() ?? []) {
      yield { ...asset, amount: open + confirmed.since(since) };
    }
  }

  /** The origins that something was spent at. */
  get origins(): readonly string[] {
    return [...this.#sums.keys()].filter((origin) => origin !== EVERYWHERE);
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

  #change({ spent: { network, asset }, origin }: Spent, change: (sum: Sum) => void): void {
    const key = assetKey(network, asset);
    for (const at of [EVERYWHERE, origin]) {
      const sums = this.#sums.get(at) ?? new Map<string, Sum>();
      const sum = sums.get(key) ?? { network, asset, open: 0n, confirmed: new Timeline() };
      change(sum);
      if (sum.open === 0n && sum.confirmed.isEmpty) sums.delete(key);
      else sums.set(key, sum);
      if (sums.size === 0) this.#sums.delete(at);
      else this.#sums.set(at, sums);
    }
  }
}

/** An amount less the part that came back. */
export function reduced(spent: AssetAmount, back: bigint): AssetAmount {
  return { ...spent, amount: back < spent.amount ? spent.amount - back : 0n };
}
