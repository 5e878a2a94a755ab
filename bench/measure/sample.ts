import { spawnSync } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';

/** One measured stretch of work of one side. */
export interface Slice {
  /** The varied condition, e.g. `concurrency 10`. */
  readonly case: string;
  readonly side: 'ours' | 'stock';
  /** 1 for the first A B pass, 2 for the second … */
  readonly round: number;
  /** Operations that succeeded. */
  readonly operations: number;
  /** Failed operations by what they said. */
  readonly errors: Readonly<Record<string, number>>;
  /** Measured values by name and unit, e.g. `p50 ms`. */
  readonly figures: Readonly<Record<string, number>>;
}

/** Everything that one scenario measured in one run; a file of `bench/samples`. */
export interface Sample {
  readonly scenario: string;
  /** Date, kind of run, commit, machine, and how busy it was: above about 0.5 before the start something else ran. */
  readonly facts: string;
  readonly slices: readonly Slice[];
}

const folder = new URL('../samples/', import.meta.url);

/** The conditions beside the code that the figures depend on. */
export function facts(full: boolean): string {
  const commit = spawnSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).stdout?.trim();
  const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${process.platform}, Node ${process.version}`;
  const date = new Date().toISOString().slice(0, 10);
  return `${full ? 'Full' : 'Short'} run of ${date}, commit ${commit}; ${machine}; load average ${loadavg()[0]?.toFixed(2)}`;
}

export async function writeSample({ slices, ...sample }: Sample): Promise<void> {
  const lines = slices.map((slice) => `    ${JSON.stringify(slice)}`).join(',\n');
  const text = JSON.stringify(sample, null, 2).replace(/\n}$/, `,\n  "slices": [\n${lines}\n  ]\n}\n`);
  await writeFile(new URL(`${sample.scenario}.json`, folder), text);
}

export async function readSamples(): Promise<Sample[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  // Our own files: `writeSample` wrote them.
  return Promise.all(files.map(async (name) => JSON.parse(await readFile(new URL(name, folder), 'utf8')) as Sample));
}
