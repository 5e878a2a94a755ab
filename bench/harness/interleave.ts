import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadResult } from './load.ts';
import { ascending, thinned } from './percentile.ts';
import { cpuByRole, difference } from './process-usage.ts';
import type { Slice } from './sample.ts';

const MOST_LATENCIES = 400;
/** Until a process that was stopped has let go of the connections that grew too old meanwhile. */
const SETTLE_MS = 100;

/** One of those that are compared. */
export interface Side {
  readonly name: string;
  /** Processes whose CPU time is counted, by role. */
  readonly processes: Readonly<Record<string, number>>;
  /**
   * Done before the first slice, again and again for some time, and once before every slice of a side that was stopped;
   * its results do not count, but if most of them are failures something is wrong.
   */
  readonly warmUp?: () => Promise<LoadResult>;
  /** Done before each slice, before clock and counters start. */
  readonly prepare?: () => Promise<unknown>;
  /** One slice of work. */
  readonly run: () => Promise<LoadResult>;
  /** Processes that belong to this side alone: they are stopped while another side is measured. */
  readonly own?: readonly number[];
}

export interface InterleaveOptions {
  readonly case: string;
  readonly sides: readonly Side[];
  /** Times that each side gets its turn: A B A B … */
  readonly rounds: number;
  /** How long each side warms up at least: compilers keep getting better at a program for many seconds. */
  readonly warmUpMs: number;
  /** The node's counters, if the node takes part. */
  readonly nodeCalls?: () => Promise<Record<string, number>>;
  readonly onSlice: (slice: Slice) => void;
  readonly signal: AbortSignal;
}

/** Measures the sides in turn, so that a change of the machine's mood meets all of them. */
export async function interleave(options: InterleaveOptions): Promise<Slice[]> {
  const { sides, rounds, onSlice } = options;
  const slices: Slice[] = [];
  try {
    for (const side of sides) {
      await activate(side, sides);
      await warmUp(side, options);
    }
    for (let round = 1; round <= rounds; round++) {
      for (const side of sides) {
        await activate(side, sides);
        if (side.own !== undefined) await side.warmUp?.();
        const slice = await measure(side, options, round);
        options.signal.throwIfAborted();
        slices.push(slice);
        onSlice(slice);
      }
    }
  } finally {
    for (const side of sides) wake(side);
  }
  return slices;
}

async function warmUp(side: Side, options: InterleaveOptions): Promise<void> {
  const start = performance.now();
  let succeeded = 0;
  let failed = 0;
  let reason = '';
  do {
    const { operations = 1, errors = {} } = (await side.warmUp?.()) ?? {};
    options.signal.throwIfAborted();
    succeeded += operations;
    for (const [message, count] of Object.entries(errors)) {
      failed += count;
      reason = message;
    }
  } while (side.warmUp !== undefined && performance.now() - start < options.warmUpMs);
  if (failed <= succeeded) return;
  const share = `${failed} of ${failed + succeeded}`;
  throw new Error(`${options.case}: ${share} operations of ${side.name} failed while it warmed up: ${reason}`);
}

async function measure(side: Side, options: InterleaveOptions, round: number): Promise<Slice> {
  const { nodeCalls = async () => ({}) } = options;
  await side.prepare?.();
  const callsBefore = await nodeCalls();
  const cpuBefore = cpuByRole(side.processes);
  const { operations, errors, seconds, latenciesMs } = await side.run();
  const cpu = difference(cpuBefore, cpuByRole(side.processes));
  const calls = difference(callsBefore, await nodeCalls());
  return {
    case: options.case,
    side: side.name,
    round,
    operations,
    errors,
    seconds: rounded(seconds),
    latenciesMs: thinned(ascending(latenciesMs), MOST_LATENCIES).map(rounded),
    ...(Object.keys(side.processes).length > 0 && { cpuMs: cpu }),
    ...(options.nodeCalls && { nodeCalls: withoutZeros(calls) }),
  };
}

function withoutZeros(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Wakes the processes of one side and stops those of the others: a program that idles takes CPU time, too. */
async function activate(active: Side, sides: readonly Side[]): Promise<void> {
  for (const side of sides) if (side !== active) for (const pid of side.own ?? []) signal(pid, 'SIGSTOP');
  wake(active);
  await sleep(SETTLE_MS);
}

function wake({ own = [] }: Side): void {
  for (const pid of own) signal(pid, 'SIGCONT');
}

/** A process that has ended needs no signal; its failure shows elsewhere. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
