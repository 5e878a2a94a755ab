import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { MachineFacts } from './machine.ts';

/** One measured stretch of work of one side. */
export interface Slice {
  /** What was varied, e.g. `concurrency 10`. */
  readonly case: string;
  /** Who was measured, e.g. `ours`. */
  readonly side: string;
  /** 1 for the first A B pass, 2 for the second … */
  readonly round: number;
  /** Operations that succeeded. */
  readonly operations: number;
  /** Failed operations by what they said. */
  readonly errors: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Ascending, thinned to at most 400. */
  readonly latenciesMs?: readonly number[];
  /** User and system time of each process, by its role. */
  readonly cpuMs?: Readonly<Record<string, number>>;
  /** Requests that the node answered, by route. */
  readonly nodeCalls?: Readonly<Record<string, number>>;
  /** Anything else that was measured, by name and unit, e.g. `resident MB`. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** Everything that one scenario measured in one run; a file of `bench/samples`. */
export interface Sample {
  readonly scenario: string;
  /** Whether all cases were run, for longer. */
  readonly full: boolean;
  readonly takenAt: string;
  /** Whose packages were measured. */
  readonly commit?: string;
  readonly machine: MachineFacts;
  /** One-minute load averages before and after: above about 0.5 before the start, something else was running. */
  readonly loadAverage: { readonly before: number; readonly after: number };
  /** Share of the cores' time that the host gave to other guests meanwhile, 0 to 1; absent where it does not tell. */
  readonly stolen?: number;
  readonly slices: readonly Slice[];
}

const folder = fileURLToPath(new URL('../samples/', import.meta.url));

export async function writeSample(sample: Sample): Promise<void> {
  await mkdir(folder, { recursive: true });
  const { slices, ...facts } = sample;
  const lines = slices.map((slice) => `    ${JSON.stringify(slice)}`).join(',\n');
  const text = JSON.stringify(facts, null, 2).replace(/\n}$/, `,\n  "slices": [\n${lines}\n  ]\n}\n`);
  await writeFile(new URL(`../samples/${sample.scenario}.json`, import.meta.url), text);
}

export async function readSamples(): Promise<ReadonlyMap<string, Sample>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const samples = await Promise.all(files.map(async (name) => parseSample(await readFile(`${folder}${name}`, 'utf8'))));
  return new Map(samples.map((sample) => [sample.scenario, sample]));
}

/** Our own file: `writeSample` wrote it. */
function parseSample(text: string): Sample {
  return JSON.parse(text) as Sample;
}
