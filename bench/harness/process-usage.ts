import { readFileSync } from 'node:fs';

/** Linux counts CPU time for user space in hundredths of a second, whatever the kernel's own clock. */
const MS_PER_TICK = 10;
const PAGE_BYTES = 4096;

/** User and system time of a process with all its threads, ms; undefined where there is no /proc. */
function cpuMs(pid: number): number | undefined {
  const fields = statFields(pid);
  // Fields 14 and 15 of proc(5): utime and stime; the list here begins at field 3.
  const ticks = Number(fields?.[11]) + Number(fields?.[12]);
  return Number.isFinite(ticks) ? ticks * MS_PER_TICK : undefined;
}

/** Resident memory of a process in bytes; undefined where there is no /proc. */
export function residentBytes(pid: number): number | undefined {
  const pages = Number(statFields(pid)?.[21]);
  return Number.isFinite(pages) ? pages * PAGE_BYTES : undefined;
}

/** The fields of /proc/<pid>/stat after the program's name, which may hold spaces. */
function statFields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
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
