import { cpuMs, type Side } from './compare.ts';
import type { LoadResult } from './load.ts';

type Work = Pick<Side, 'pids' | 'run'>;

/**
 * A side that compares some work with a plainer one, which runs before each slice. `figure` tells how many times the CPU
 * time of the plain one an operation takes.
 */
export function cpuBeside(
  figure: string,
  plain: Work,
  work: Work,
): Omit<Side, 'name'> & Required<Pick<Side, 'prepare'>> {
  let plainMs = 0;
  return {
    pids: work.pids,
    prepare: async () => void ({ ms: plainMs } = await cpuOf(plain)),
    run: async () => {
      const { result, ms } = await cpuOf(work);
      return { ...result, figures: { [figure]: ms / plainMs } };
    },
  };
}

/** Does the work; `ms` is the CPU time of one operation. */
async function cpuOf({ pids, run }: Work): Promise<{ readonly result: LoadResult; readonly ms: number }> {
  const before = cpuMs(pids);
  const result = await run();
  return { result, ms: (cpuMs(pids) - before) / result.operations };
}
