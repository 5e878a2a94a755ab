import { interleave } from './interleave.ts';
import { coreTicks, loadAverage, machineFacts, measuredCommit, stolenShare } from './machine.ts';
import { rate } from './ratio.ts';
import type { Sample, Slice } from './sample.ts';
import type { Bench, Scenario } from './scenario.ts';

export interface RunOptions {
  readonly full: boolean;
  readonly signal: AbortSignal;
}

/** Runs a scenario and stops whatever it started. Undefined if it was interrupted. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<Sample | undefined> {
  const { full, signal } = options;
  const before = loadAverage();
  const ticksBefore = coreTicks();
  const takenAt = new Date().toISOString();
  const commit = measuredCommit();
  try {
    const slices = await scoped(options, scenario.run);
    const loads = { before, after: loadAverage() };
    const facts = { scenario: scenario.name, full, takenAt, ...(commit !== undefined && { commit }) };
    const ticks = coreTicks();
    const stolen = ticksBefore && ticks && { stolen: stolenShare(ticksBefore, ticks) };
    return { ...facts, machine: machineFacts(), loadAverage: loads, ...stolen, slices };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Lends a bench to some work, and stops what the work started on it. */
async function scoped<T>(options: RunOptions, work: (bench: Bench) => Promise<T>): Promise<T> {
  const owned: { stop(): Promise<unknown> }[] = [];
  const progress = (text: string): void => console.log(`  ${text}`);
  try {
    return await work({
      ...options,
      progress,
      own: async (starting) => {
        const started = await starting;
        owned.push(started);
        return started;
      },
      scoped: (inner) => scoped(options, inner),
      compare: (what) =>
        interleave({
          warmUpMs: options.full ? 10_000 : 500,
          ...what,
          signal: options.signal,
          onSlice: (slice) => progress(describe(slice)),
        }),
    });
  } finally {
    for (const thing of owned.toReversed()) await thing.stop();
  }
}

function describe(slice: Slice): string {
  const perSecond = rate(slice)?.toFixed(1) ?? '–';
  const failed = Object.entries(slice.errors).map(([message, count]) => `; ${count} × ${message}`);
  return `${slice.case}, ${slice.side}, ${slice.round}: ${perSecond} a second${failed.join('')}`;
}
