export interface LoadOptions {
  /** Operations under way at the same time; each worker starts its next one when its last one has ended. */
  readonly workers: number;
  readonly operations: number;
  /** One operation, consuming its result. It throws when the result is not what a user would want. */
  readonly operate: (operation: { readonly worker: number; readonly index: number }) => Promise<unknown>;
  /** No operation is begun after that. */
  readonly signal?: AbortSignal;
}

export interface LoadResult {
  /** Operations that succeeded. */
  readonly operations: number;
  /** Failed ones, by their message. */
  readonly errors: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Of those that succeeded, in the order in which they ended. */
  readonly latenciesMs: readonly number[];
}

/** A closed loop: `workers` do `operations` between them, as fast as they are answered. */
export async function driveLoad({ workers, operations, operate, signal }: LoadOptions): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const errors: Record<string, number> = {};
  let next = 0;
  const isOver = (): boolean => next >= operations || signal?.aborted === true;
  const work = async (worker: number): Promise<void> => {
    while (!isOver()) {
      const index = next++;
      const start = performance.now();
      try {
        await operate({ worker, index });
        latenciesMs.push(performance.now() - start);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        errors[message] = (errors[message] ?? 0) + 1;
      }
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return { operations: latenciesMs.length, errors, seconds: (performance.now() - start) / 1000, latenciesMs };
}
