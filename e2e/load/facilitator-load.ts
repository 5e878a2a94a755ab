import { setTimeout as sleep } from 'node:timers/promises';
import { type AnswerKind, callSettle } from '../orders/answers.ts';
import { type Debit, readDebits } from '../debits.ts';
import { findViolations } from '../orders/oracle.ts';
import type { Order } from '../orders/orders.ts';
import { payOrder, type SettledOrder } from '../orders/pay-order.ts';
import { ProgressDeadline } from '../orders/progress-deadline.ts';
import { finalRecords } from '../orders/records.ts';
import { openWallets } from '../orders/wallets.ts';
import { confirmedIn } from './ledger.ts';
import { ordersOf } from './orders.ts';
import { type Stage, startStage } from './stage.ts';

export interface LoadOptions {
  readonly payments: number;
  /** How fast they begin, whatever became of those before. */
  readonly paymentsPerSecond: number;
  readonly blockTimeMs: number;
}

export interface LoadReport {
  readonly counts: LoadCounts;
  /** Whatever contradicts the blocks: answers, the ledger, the log, the backup. */
  readonly violations: readonly string[];
}

interface LoadCounts {
  readonly payments: number;
  readonly debits: number;
  readonly kills: number;
  readonly scrapes: number;
  readonly refills: number;
  /** Answers of each kind. */
  readonly answers: Readonly<Partial<Record<AnswerKind, number>>>;
  /** Answers that said that the sponsor is out of ALGO. */
  readonly unfunded: number;
  /** Payments that were answered as settled when the backup was begun, and later ones that were asked for there. */
  readonly backedUp: number;
  readonly askedAgain: number;
  /** Time from the first payment to the last outcome. */
  readonly seconds: number;
  readonly outcomesPerSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
}

const PROGRESS_MS = 3_000;
/** Payments after the load, of which the backup can't know. */
const LATE = 5;
/** An answer may be read some time after it came. */
const READ_LATE_MS = 1_000;

/**
 * Payments at one rate, at three replicas. After a third of them the sponsor is empty, until its operator reads so in the
 * metrics; at the half the store is backed up and restored; at two thirds a replica is killed.
 */
export async function runFacilitatorLoad(options: LoadOptions): Promise<LoadReport> {
  const { payments, blockTimeMs } = options;
  const stage = await startStage({ blockTimeMs, sponsorLasts: Math.floor(payments / 3) });
  try {
    const load = new Load(stage, await payerOn(stage), options);
    const early = await load.payAll();
    const backup = await load.backup();
    const late = await load.payLate();
    const paid = [...early, ...late];
    const askedAgain = await askAgain(backup, late);
    const debits = await readDebits(stage.algod);
    const violations = [
      ...findViolations(await finalRecords(stage.replicas.urls(), paid), debits),
      ...differences('the ledger', await confirmedIn(stage.database), debits),
      ...logViolations(stage, { paid, debits, killedAt: load.killedAt }),
      ...backup.violations,
      ...askedAgain.filter((answer) => !answer.startsWith('failed ')).map((answer) => `settled again: ${answer}`),
    ];
    const counts = { backedUp: backup.settled, askedAgain: askedAgain.length, debits: debits.length };
    return { counts: { ...countsOf(paid, stage), ...counts }, violations };
  } finally {
    await stage.stop();
  }
}

type Pay = (order: Order) => Promise<SettledOrder>;

/** Pays orders at any replica that runs. */
async function payerOn({ nodeUrl, feePayer, replicas }: Stage): Promise<Pay> {
  const wallets = await openWallets({ nodeUrl, orders: [] });
  const facilitatorUrl = (): string => replicas.urls()[0] ?? '';
  const options = { wallets, feePayer, facilitatorUrl, deadline: new ProgressDeadline() };
  return (order) => payOrder(order, options);
}

interface Backup {
  /** The origin of the facilitator that works on it. */
  readonly url: string;
  /** Payments that were answered as settled before. */
  readonly settled: number;
  readonly violations: readonly string[];
}

class Load {
  killedAt = 0;
  readonly #stage: Stage;
  readonly #options: LoadOptions;
  readonly #known: SettledOrder[] = [];
  readonly #firstSettled = Promise.withResolvers<void>();
  readonly #pay: Pay;
  #started = 0;
  #backup: Promise<Backup> | undefined;
  #killed: Promise<void> | undefined;

  constructor(stage: Stage, pay: Pay, options: LoadOptions) {
    this.#stage = stage;
    this.#options = options;
    this.#pay = pay;
  }

  async payAll(): Promise<SettledOrder[]> {
    const { payments, paymentsPerSecond } = this.#options;
    const progress = setInterval(() => console.log(this.#progress()), PROGRESS_MS);
    const firstAt = performance.now();
    const paying: Promise<SettledOrder>[] = [];
    for (const order of ordersOf(payments)) {
      await sleep(Math.max(0, firstAt + (order.number * 1000) / paymentsPerSecond - performance.now()));
      this.#interfere(order.number / payments);
      this.#started++;
      paying.push(this.#pay(order).then((paid) => this.#know(paid)));
    }
    const paid = await Promise.all(paying);
    clearInterval(progress);
    await this.#killed;
    await this.#stage.replicas.allRunning();
    return paid;
  }

  #know(paid: SettledOrder): SettledOrder {
    this.#known.push(paid);
    if (isSettled(paid)) this.#firstSettled.resolve();
    return paid;
  }

  /** Pays some more, with time enough to settle on a machine that is still busy. */
  async payLate(): Promise<SettledOrder[]> {
    await this.#stage.operator.refilled;
    const late = ordersOf(this.#options.payments + LATE).slice(-LATE);
    return Promise.all(late.map((order) => this.#pay({ ...order, maxTimeoutSeconds: 600 })));
  }

  async backup(): Promise<Backup> {
    if (this.#backup === undefined) throw new Error('no backup was taken');
    return this.#backup;
  }

  #interfere(part: number): void {
    if (part >= 1 / 2) this.#backup ??= this.#backUp();
    if (part < 2 / 3 || this.#killed !== undefined) return;
    this.killedAt = performance.now();
    this.#killed = this.#stage.replicas.killOne();
  }

  /** Takes the backup once a payment is settled, so that there is one to look for, however slow the machine is. */
  async #backUp(): Promise<Backup> {
    await this.#firstSettled.promise;
    const settled = this.#known.filter(isSettled).map(({ txId }) => txId);
    const { url, database } = await this.#stage.restoreBackup();
    const kept = new Set(await confirmedIn(database));
    const lost = settled.filter((txId) => !kept.has(txId));
    return { url, settled: settled.length, violations: lost.map((txId) => `${txId}: not in the backup`) };
  }

  #progress(): string {
    const { kills, operator } = { kills: this.#stage.replicas.kills, operator: this.#stage.operator };
    return `${this.#started} begun, ${this.#known.length} known, ${operator.refills} refills, ${kills} kills`;
  }
}

function isSettled({ answers }: SettledOrder): boolean {
  return answers.some(({ kind }) => kind === 'success');
}

/** Asks the restored facilitator to settle payments that it can't know of; the answers. */
async function askAgain({ url }: Backup, late: readonly SettledOrder[]): Promise<string[]> {
  return Promise.all(
    late.filter(isSettled).map(async ({ body, answers: [{ key = '' } = {}] }) => {
      const { kind, reason } = await callSettle({ url, body, key, timeoutMs: 30_000 });
      return `${kind} ${reason}`;
    }),
  );
}

/** TxIDs that a list has twice, those that it lacks, and those that no block has. */
function differences(list: string, txIds: readonly string[], debits: readonly Debit[]): string[] {
  const onChain = new Set(debits.map(({ txId }) => txId));
  const listed = new Set(txIds);
  const twice = txIds.filter((txId, index) => txIds.indexOf(txId) !== index);
  return [
    ...twice.map((txId) => `${txId}: twice in ${list}`),
    ...[...onChain].filter((txId) => !listed.has(txId)).map((txId) => `${txId}: not in ${list}`),
    ...[...listed].filter((txId) => !onChain.has(txId)).map((txId) => `${txId}: in ${list}, but not on chain`),
  ];
}

interface Outcome {
  readonly paid: readonly SettledOrder[];
  readonly debits: readonly Debit[];
  readonly killedAt: number;
}

/** A replica that is killed between a row's last write and its line leaves none; nobody had an answer then. */
function logViolations({ replicas }: Stage, { paid, debits, killedAt }: Outcome): string[] {
  const logged = replicas
    .lines()
    .filter((line) => line.includes('"settlement ended"') && line.includes('"confirmed"'))
    .map((line) => (JSON.parse(line) as { readonly transaction: string }).transaction);
  const mayLack = paid.filter((order) => startOf(order) < killedAt && endOf(order) > killedAt - READ_LATE_MS);
  const excused = new Set(mayLack.map(({ txId }) => `${txId}: not in the log`));
  return differences('the log', logged, debits).filter((violation) => !excused.has(violation));
}

/** Returns when the order's first caller began, in milliseconds. */
function startOf({ answers }: SettledOrder): number {
  return answers[0]?.sentAt ?? 0;
}

/** When its caller had the last answer, milliseconds. */
function endOf({ answers }: SettledOrder): number {
  return answers.at(-1)?.answeredAt ?? 0;
}

function countsOf(paid: readonly SettledOrder[], { replicas, operator }: Stage) {
  const all = paid.flatMap(({ answers }) => answers);
  const answers: Partial<Record<AnswerKind, number>> = {};
  for (const { kind } of all) answers[kind] = (answers[kind] ?? 0) + 1;
  const took = paid.map((order) => endOf(order) - startOf(order)).toSorted((a, b) => a - b);
  const at = (part: number): number => Math.round(took[Math.floor(took.length * part)] ?? 0);
  const seconds = (Math.max(...paid.map(endOf)) - Math.min(...paid.map(startOf))) / 1000;
  return {
    payments: paid.length,
    kills: replicas.kills,
    scrapes: operator.scrapes,
    refills: operator.refills,
    answers,
    unfunded: all.filter(({ reason }) => reason.includes('sponsor_unfunded')).length,
    seconds: Math.round(seconds),
    outcomesPerSecond: Math.round(paid.length / seconds),
    p50Ms: at(0.5),
    p95Ms: at(0.95),
  };
}
