import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CPU, NODE_CALLS, P50, P99, percentile, RATE } from './figures.ts';
import type { LoadResult } from './load.ts';
import type { Slice } from './sample.ts';

/** Time for a process that continues to close the connections that timed out meanwhile. */
const SETTLE_MS = 100;

/** A make that is measured, and its work. */
export interface Side {
  readonly name: Slice['side'];
  /** Processes whose CPU time is counted; they are stopped while the other side is measured. */
  readonly pids: readonly number[];
  /** Prepares each slice, before clock and counters start. */
  readonly prepare?: () => Promise<unknown>;
  /** One slice of work. */
  readonly run: () => Promise<LoadResult>;
}

/** The measurements of one case. */
export interface Comparison {
  readonly case: string;
  readonly sides: readonly Side[];
  /** Times that each side gets its turn: A B A B … */
  readonly rounds: number;
  /** How long each side works before it is measured; compilers keep improving a program for many seconds. */
  readonly warmUpMs: number;
  /** The number of requests that the node has answered, if the case has one. */
  readonly nodeCalls?: () => Promise<number>;
}

export interface CompareOptions extends Comparison {
  readonly signal: AbortSignal;
}

/** Measures the sides in turn, so that a change of the machine's mood meets all of them. */
export async function compare(options: CompareOptions): Promise<Slice[]> {
  const { sides, rounds, signal } = options;
  const slices: Slice[] = [];
  try {
    for (const side of sides) await inTurn(side, options, () => warmUp(side, options));
    for (let round = 1; round <= rounds; round++) {
      for (const side of sides) {
        const slice = await inTurn(side, options, () => measure(side, options, round));
        signal.throwIfAborted();
        slices.push(slice);
        const failed = Object.entries(slice.errors).map(([message, count]) => `; ${count} × ${message}`);
        console.log(`  ${slice.case}, ${slice.side}: ${slice.figures[RATE]?.toFixed(1)} a second${failed.join('')}`);
      }
    }
  } finally {
    for (const side of sides) signalAll(side, 'SIGCONT');
  }
  return slices;
}

/** Stops the other sides' processes meanwhile: a program that idles takes CPU time, too. */
async function inTurn<T>(active: Side, { sides }: CompareOptions, work: () => Promise<T>): Promise<T> {
  for (const side of sides) signalAll(side, side === active ? 'SIGCONT' : 'SIGSTOP');
  await sleep(SETTLE_MS);
  return work();
}

async function warmUp(side: Side, { warmUpMs, signal }: CompareOptions): Promise<void> {
  const start = performance.now();
  while (performance.now() - start < warmUpMs) {
    await side.prepare?.();
    await side.run();
    signal.throwIfAborted();
  }
}

async function measure(side: Side, { case: name, nodeCalls }: CompareOptions, round: number): Promise<Slice> {
  await side.prepare?.();
  const before = { calls: await nodeCalls?.(), cpu: cpuMs(side.pids) };
  const { operations, errors, seconds, latenciesMs, figures } = await side.run();
  const cpu = cpuMs(side.pids) - before.cpu;
  const all = {
    [RATE]: operations / seconds,
    [P50]: percentile(latenciesMs, 0.5),
    [P99]: percentile(latenciesMs, 0.99),
    [CPU]: side.pids.length > 0 ? cpu / operations : Number.NaN,
    [NODE_CALLS]: nodeCalls ? ((await nodeCalls()) - (before.calls ?? 0)) / operations : Number.NaN,
    ...figures,
  };
  const known = Object.entries(all).filter(([, value]) => Number.isFinite(value));
  const rounded = known.map(([title, value]) => [title, Number(value.toPrecision(4))]);
  return { case: name, side: side.name, round, operations, errors, figures: Object.fromEntries(rounded) };
}

/** User and system time; NaN where the kernel does not tell. `schedstat` counts nanoseconds, `stat` only hundredths. */
export function cpuMs(pids: readonly number[]): number {
  try {
    const files = pids.flatMap((pid) =>
      readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`),
    );
    const times = files.map((file) => Number(readFileSync(`${file}/schedstat`, 'latin1').split(' ')[0]) / 1_000_000);
    return times.reduce((sum, ms) => sum + ms, 0);
  } catch {
    return Number.NaN;
  }
}

/** A process that has ended needs no signal; its failure shows elsewhere. */
function signalAll({ pids }: Side, name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}
