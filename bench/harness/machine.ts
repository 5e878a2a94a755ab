import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';

/** What the figures depend on beside the code. */
export interface MachineFacts {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
}

export function machineFacts(): MachineFacts {
  const [first] = cpus();
  return {
    processor: first?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch} ${release()}`,
    node: process.version,
  };
}

/** The commit whose packages are measured, `(changed)` behind it if they differ from it; undefined without git. */
export function measuredCommit(): string | undefined {
  const git = (...args: string[]): string => spawnSync('git', args, { encoding: 'utf8' }).stdout?.trim() ?? '';
  const commit = git('rev-parse', '--short', 'HEAD');
  if (commit === '') return undefined;
  return git('status', '--porcelain', '--', 'packages') === '' ? commit : `${commit} (changed)`;
}

/** How many processes wanted a core in the last minute, on average. */
export function loadAverage(): number {
  return Math.round((loadavg()[0] ?? 0) * 100) / 100;
}

/** Time of all cores since the machine started, in ticks. */
export interface CoreTicks {
  readonly total: number;
  /** While programs wanted a core and the host ran another guest on it. */
  readonly stolen: number;
}

const TICKS_OF_CORES = '/proc/stat';

/** Undefined where the system does not tell. Source: proc_stat(5), the line `cpu`. */
export function coreTicks(): CoreTicks | undefined {
  if (!existsSync(TICKS_OF_CORES)) return undefined;
  const [line = ''] = readFileSync(TICKS_OF_CORES, 'utf8').split('\n', 1);
  // user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of the first two.
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  return { total: ticks.reduce((sum, count) => sum + count, 0), stolen: ticks[7] ?? 0 };
}

/** How much of the cores' time other guests had between two readings, from 0 to 1. */
export function stolenShare(before: CoreTicks, after: CoreTicks): number {
  const total = after.total - before.total;
  return total === 0 ? 0 : Math.round(((after.stolen - before.stolen) / total) * 1000) / 1000;
}
