import { interleave } from './interleave.ts';
import { loadAverage, machineFacts } from './machine.ts';
import { rate } from './ratio.ts';
import type { Sample, Slice } from './sample.ts';
import type { Bench, Scenario } from './scenario.ts';

export interface RunOptions {
  readonly full: boolean;
  readonly signal: AbortSignal;
}

/** Runs a scenario and stops whatever it started. Undefined if it was interrupted. */
export async function runScenario(scenario: Scenario, { full, signal }: RunOptions): Promise<Sample | undefined> {
  const owned: { stop(): Promise<unknown> }[] = [];
  const progress = (text: string): void => console.log(`  ${text}`);
  const bench: Bench = {
    full,
    signal,
    progress,
    own: async (starting) => {
      const started = await starting;
      owned.push(started);
      return started;
    },
    compare: (options) => interleave({ ...options, signal, onSlice: (slice) => progress(describe(slice)) }),
  };
  const before = loadAverage();
  const takenAt = new Date().toISOString();
  try {
    const slices = await scenario.run(bench);
    const { name } = scenario;
    return {
      scenario: name,
      full,
      takenAt,
      machine: machineFacts(),
      loadAverage: { before, after: loadAverage() },
      slices,
    };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    for (const thing of owned.toReversed()) await thing.stop();
  }
}

function describe(slice: Slice): string {
  const perSecond = rate(slice)?.toFixed(1) ?? '–';
  const failed = Object.entries(slice.errors).map(([message, count]) => `; ${count} × ${message}`);
  return `${slice.case}, ${slice.side}, ${slice.round}: ${perSecond} a second${failed.join('')}`;
}
