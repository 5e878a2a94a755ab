import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds between samples. */
  readonly timeDeltas: readonly number[];
}

const MOST_LINES = 25;
/** Samples are a millisecond apart; a longer gap means that the program was stopped, or waited for a core. */
const LONGEST_GAP_US = 10_000;

/** Node's flags that make a program write a CPU profile when it ends; none unless `--profile` was given. */
export function profilingFlags(name: string): string[] {
  const folder = process.env['BENCH_PROFILE'];
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(folder, name)}`];
}

/** For each program that was profiled, where its own time went. */
export async function profileSummaries(folder: string): Promise<string[]> {
  const summaries = [];
  for (const name of await readdir(folder)) {
    for (const file of await readdir(join(folder, name))) {
      const profile = parseProfile(await readFile(join(folder, name, file), 'utf8'));
      summaries.push(`${name} (${file})\n${summary(profile)}`);
    }
  }
  return summaries;
}

function summary({ nodes, samples, timeDeltas }: CpuProfile): string {
  const selfTime = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    const gap = timeDeltas[index] ?? 0;
    if (gap <= LONGEST_GAP_US) selfTime.set(id, (selfTime.get(id) ?? 0) + gap);
  }
  const byPlace = new Map<string, number>();
  for (const { id, callFrame } of nodes) {
    const { functionName, url, lineNumber } = callFrame;
    if (functionName === '(idle)') continue;
    const place = `${functionName || '(anonymous)'} ${shortened(url)}${url === '' ? '' : `:${lineNumber + 1}`}`;
    byPlace.set(place, (byPlace.get(place) ?? 0) + (selfTime.get(id) ?? 0));
  }
  const busy = [...byPlace.values()].reduce((sum, time) => sum + time, 0);
  return [...byPlace]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_LINES)
    .map(([place, time]) => `  ${((100 * time) / busy).toFixed(1).padStart(5)} %  ${place}`)
    .join('\n');
}

/** The part of a path that tells: from the last package on. */
function shortened(url: string): string {
  return url.replace(/^.*\/node_modules\//, '').replace(/^file:.*?\/(packages|bench|apps)\//, '$1/');
}

/** V8's own file. */
function parseProfile(text: string): CpuProfile {
  return JSON.parse(text) as CpuProfile;
}
