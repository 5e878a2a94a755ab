import { setTimeout as sleep } from 'node:timers/promises';
import { createAlgodClient } from '@avm402/algorand/algod';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { seededRandom } from '@avm402/testkit/random';
import type { Answer } from '../orders/answers.ts';
import { readDebits } from '../debits.ts';
import { droppedAnswers, total } from '@avm402/testkit/faults';
import { findViolations, type PaidOrder } from '../orders/oracle.ts';
import { type DuplicateKind, type Order, planOrders } from '../orders/orders.ts';
import { payOrder } from '../orders/pay-order.ts';
import { ProgressDeadline } from '../orders/progress-deadline.ts';
import { finalRecords } from '../orders/records.ts';
import { type Stage, type StageOptions, startStage } from './stage.ts';
import { openWallets, type Wallets } from '../orders/wallets.ts';

export interface ChaosOptions extends StageOptions {
  readonly payments: number;
  /** How fast they arrive, on average. */
  readonly paymentsPerSecond: number;
  readonly kills: number;
  /** Part of the payments that others try to settle, too. */
  readonly duplicateShare: number;
  readonly duplicates: readonly DuplicateKind[];
  /** Part of the payments that come in pairs of which the payer can afford one. */
  readonly poorShare: number;
}

export interface ChaosReport {
  readonly counts: ChaosCounts;
  /** Contradictions between blocks and answers; see the oracle. */
  readonly violations: readonly string[];
  /** The facilitators' log lines about the first payments with violations. */
  readonly logs: readonly string[];
}

interface ChaosCounts {
  readonly seed: number;
  readonly seconds: number;
  readonly payments: number;
  readonly duplicates: number;
  readonly kills: number;
  readonly droppedAnswers: number;
  readonly algodFaults: number;
  readonly debits: number;
  /** Answers of each kind. */
  readonly answers: Readonly<Partial<Record<Answer['kind'], number>>>;
}

/** Payments under way at which the next ones wait, so that a slow machine takes longer instead of giving up. */
const MOST_UNDER_WAY = 150;
const PROGRESS_MS = 3_000;
const LOGGED_VIOLATIONS = 3;

/** Everything that can fail does; payments repeat or lack money. The seed is printed, and given again by CHAOS_SEED. */
export const EVERYTHING_FAILS = {
  seed: Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31)),
  faults: true,
  duplicateShare: 0.3,
  duplicates: ['same key', 'other key', 'no key'],
  poorShare: 0.05,
} as const;

/** Makes payments while everything fails, then asks the blocks whether anybody was told something wrong. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const startedAt = performance.now();
  console.log({ seed: options.seed });
  const orders = planOrders({ ...options, count: options.payments, random: seededRandom(options.seed) });
  const stage = await startStage(options);
  const answers: Answer[] = [];
  const seconds = (): number => Math.round((performance.now() - startedAt) / 1000);
  const progress = setInterval(() => console.log(progressLine(stage, answers, seconds())), PROGRESS_MS);
  try {
    const wallets = await openWallets({ nodeUrl: stage.nodeUrl, orders });
    const paid = await payAll(orders, { options, stage, wallets, onAnswer: (answer) => answers.push(answer) });
    const recorded = await finalRecords(stage.replicas.urls(), paid);
    const debits = await readDebits(createAlgodClient({ url: stage.nodeUrl, token: NODE_TOKEN }));
    const violations = findViolations(recorded, debits);
    const counts = {
      seed: options.seed,
      seconds: seconds(),
      payments: orders.length,
      duplicates: orders.reduce((sum, { callers }) => sum + callers.length - 1, 0),
      ...faultCounts(stage),
      debits: debits.length,
      answers: countByKind(answers),
    };
    return { counts, violations, logs: logsAbout(violations, stage) };
  } finally {
    clearInterval(progress);
    await stage.stop();
  }
}

interface Run {
  readonly options: ChaosOptions;
  readonly stage: Stage;
  readonly wallets: Wallets;
  readonly onAnswer: (answer: Answer) => void;
}

/** Lets the orders arrive one after another, kills replicas between them, and waits until every caller is done. */
async function payAll(orders: readonly Order[], run: Run): Promise<PaidOrder[]> {
  const { seed, kills, paymentsPerSecond } = run.options;
  const random = seededRandom(seed + 5);
  const killBefore = Array.from({ length: kills }, (_, kill) => ((kill + random()) / kills) * orders.length);
  const { stage, wallets, onAnswer } = run;
  const { facilitatorUrl, feePayer, replicas } = stage;
  const payment = {
    facilitatorUrl: () => facilitatorUrl,
    feePayer,
    wallets,
    onAnswer,
    deadline: new ProgressDeadline(),
  };
  const underWay = new Set<Promise<PaidOrder>>();
  const all: Promise<PaidOrder>[] = [];
  const killed: Promise<void>[] = [];
  for (const order of orders) {
    for (const place of killBefore) if (Math.floor(place) === order.number) killed.push(replicas.killOne());
    const paying = payOrder(order, payment).finally(() => underWay.delete(paying));
    underWay.add(paying);
    all.push(paying);
    if (underWay.size >= MOST_UNDER_WAY) await Promise.race(underWay);
    await sleep((-Math.log(1 - random()) / paymentsPerSecond) * 1000);
  }
  await Promise.all(killed);
  const paid = await Promise.all(all);
  await replicas.allRunning();
  return paid;
}

function faultCounts({ replicas, facilitatorFaults, nodeFaults }: Stage) {
  return {
    kills: replicas.kills,
    droppedAnswers: droppedAnswers(facilitatorFaults),
    algodFaults: nodeFaults.reduce((sum, counts) => sum + total(counts), 0),
  };
}

function countByKind(answers: readonly Answer[]): ChaosCounts['answers'] {
  const counts: Partial<Record<Answer['kind'], number>> = {};
  for (const { kind } of answers) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function progressLine(stage: Stage, answers: readonly Answer[], seconds: number): string {
  return `${seconds} s: ${JSON.stringify({ ...faultCounts(stage), answers: countByKind(answers) })}`;
}

function logsAbout(violations: readonly string[], { replicas }: Stage): string[] {
  const txIds = violations.slice(0, LOGGED_VIOLATIONS).map((violation) => violation.slice(0, 52));
  return txIds.flatMap((txId) => replicas.logsOf(txId));
}
