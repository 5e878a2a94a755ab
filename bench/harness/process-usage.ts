import { readdirSync, readFileSync } from 'node:fs';

const NS_PER_MS = 1_000_000;
const PAGE_BYTES = 4096;

/**
 * User and system time of a process's threads, ms; undefined where the kernel does not tell. Taken from
 * `/proc/<pid>/task/<tid>/schedstat`, which counts nanoseconds: `/proc/<pid>/stat` counts hundredths of a second, too
 * coarse for some ten payments.
 */
function cpuMs(pid: number): number | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => sum + threadCpuMs(pid, thread), 0);
  } catch {
    return undefined;
  }
}

function threadCpuMs(pid: number, thread: string): number {
  return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]) / NS_PER_MS;
}

/** Resident memory of a process in bytes; undefined where there is no /proc. */
export function residentBytes(pid: number): number | undefined {
  try {
    // The second field of proc_pid_statm(5): pages in memory.
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return undefined;
  }
}

/** CPU times of several processes by role. */
export function cpuByRole(processes: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(processes).map(([role, pid]) => [role, cpuMs(pid) ?? Number.NaN]));
}

/** What was added between two counts, without what could not be counted. */
export function difference(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after)
      .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      .filter(([, added]) => Number.isFinite(added)),
  );
}
