import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Comparison } from './measure/compare.ts';
import type { Slice } from './measure/sample.ts';

/** The environment of a scenario. */
export interface Bench {
  /** All cases, for longer. */
  readonly full: boolean;
  /** Stops what the scenario started, the last first, when the scenario ends. */
  readonly own: <T extends { stop(): Promise<unknown> }>(starting: Promise<T>) => Promise<T>;
  /** A new folder for as long as the scenario runs. */
  readonly folder: () => Promise<string>;
  /** Measures a case. A short run has two rounds, and warms up for half a second at most. */
  readonly compare: (what: Comparison) => Promise<void>;
}

/** Something that the project promises about its speed. */
export interface Target {
  readonly case: string;
  readonly figure: string;
  /** `times`: how many times better than stock; `atLeast`, `atMost`: a limit of the figure. */
  readonly kind: 'times' | 'atLeast' | 'atMost';
  readonly wanted: number;
  /** Why it may be missed, where that is known; told beside a target that is. */
  readonly miss?: string;
}

/** One thing that is measured; it lies in a file of its own. */
export interface Scenario {
  /** Names also its file of samples, and its place in RESULTS.md, which says how it is measured. */
  readonly name: string;
  /** About how long a full run takes. */
  readonly fullSeconds: number;
  readonly targets: readonly Target[];
  readonly run: (bench: Bench) => Promise<void>;
}

export interface RunOptions {
  readonly full: boolean;
  readonly compare: (what: Comparison) => Promise<readonly Slice[]>;
}

/** Runs a scenario, stops what it started, and gives what it measured. */
export async function runScenario(run: Scenario['run'], { full, compare }: RunOptions): Promise<Slice[]> {
  await using started = new AsyncDisposableStack();
  const slices: Slice[] = [];
  await run({
    full,
    own: async (starting) => {
      const thing = await starting;
      started.defer(async () => void (await thing.stop()));
      return thing;
    },
    folder: async () => {
      const path = await mkdtemp(join(tmpdir(), 'avm402-bench-'));
      started.defer(() => rm(path, { recursive: true, force: true }));
      return path;
    },
    compare: async (what) => {
      const short = { ...what, rounds: 2, warmUpMs: Math.min(500, what.warmUpMs) };
      slices.push(...(await compare(full ? what : short)));
    },
  });
  return slices;
}
