import type { Debit } from '../debits.ts';

/** One run of the shop's handler, which is also what it answers. */
export interface HandlerRun {
  readonly order: number;
  /** Different for every run. */
  readonly run: string;
}

/** A complete 200 that reached its caller. */
export interface Delivery extends HandlerRun {
  /** The order that was asked for. */
  readonly asked: number;
  /** The payment that the request carried; absent: none. */
  readonly txId?: string;
}

/**
 * A payment that a client sent for an order, whatever came of it. Two orders may share a payment: the stock client's
 * have nothing but the millisecond to tell them apart. Then one of the orders is served.
 */
export interface Proof {
  readonly txId: string;
  readonly order: number;
  /** The payment header, which holds the payment id, too. */
  readonly header: string;
}

export interface Evidence {
  readonly proofs: readonly Proof[];
  readonly deliveries: readonly Delivery[];
  readonly runs: readonly HandlerRun[];
  readonly debits: readonly Debit[];
  readonly price: bigint;
  readonly payTo: string;
}

/** One payment is good for at most so many runs of the handler. */
const MOST_RUNS = 3;

/** Payments that were made and whose goods did not arrive. */
export function unserved({ proofs, debits, deliveries }: Evidence): Proof[] {
  const served = new Set(deliveries.map(({ txId }) => txId));
  const debited = new Set(debits.map(({ txId }) => txId));
  return proofs.filter(({ txId }) => debited.has(txId) && !served.has(txId));
}

/** The violations, a line each; empty if every debit was served, once, and nothing without a debit. */
export function findViolations(evidence: Evidence): string[] {
  return [
    ...wrongDebits(evidence),
    ...unserved(evidence).map(({ txId, order }) => `${txId}: debited for order ${order}, but not served`),
    ...wrongDeliveries(evidence),
    ...servedTwice(evidence),
    ...tooManyRuns(evidence),
  ];
}

function wrongDebits({ debits, proofs, price, payTo }: Evidence): string[] {
  const paidOrders = new Set<number>();
  return debits.flatMap(({ txId, amount, receiver }) => {
    const orders = new Set(proofs.filter((proof) => proof.txId === txId).map(({ order }) => order));
    const [order] = orders;
    if (order === undefined) return [`${txId}: a debit that no client asked for`];
    if (amount !== price || receiver !== payTo) return [`${txId}: a debit of ${amount} to ${receiver}`];
    if (orders.size > 1) return [];
    if (paidOrders.has(order)) return [`${txId}: order ${order} was paid for twice`];
    paidOrders.add(order);
    return [];
  });
}

function wrongDeliveries({ deliveries, debits, runs }: Evidence): string[] {
  const debited = new Set(debits.map(({ txId }) => txId));
  const known = new Set(runs.map(({ run }) => run));
  return deliveries.flatMap(({ txId, asked, order, run }) => {
    if (txId === undefined) return [`order ${asked} was served without a payment`];
    if (!debited.has(txId)) return [`${txId}: served, but not debited`];
    if (order !== asked) return [`${txId}: paid for order ${asked}, served ${order}`];
    return known.has(run) ? [] : [`${txId}: served with a run that never was`];
  });
}

/** The same answer may arrive again; another run may not, nor the same run for another payment. */
function servedTwice({ deliveries }: Evidence): string[] {
  const runOf = new Map<string, string>();
  const payerOf = new Map<string, string>();
  return deliveries.flatMap(({ txId = '', run }) => {
    const [earlierRun = run, earlierPayer = txId] = [runOf.get(txId), payerOf.get(run)];
    runOf.set(txId, run);
    payerOf.set(run, txId);
    return earlierRun === run && earlierPayer === txId ? [] : [`${txId}: served twice`];
  });
}

function tooManyRuns({ runs, proofs }: Evidence): string[] {
  const count = (items: readonly { readonly order: number }[]): Map<number, number> => {
    const counts = new Map<number, number>();
    for (const { order } of items) counts.set(order, (counts.get(order) ?? 0) + 1);
    return counts;
  };
  const payments = count(proofs);
  return [...count(runs)]
    .filter(([order, runsOfOrder]) => runsOfOrder > MOST_RUNS * (payments.get(order) ?? 0))
    .map(([order, runsOfOrder]) => `order ${order}: ${runsOfOrder} runs for ${payments.get(order) ?? 0} payments`);
}
