import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface LoadOptions {
  /** Operations under way at the same time; each worker starts its next one when its last one has ended. */
  readonly workers: number;
  readonly operations: number;
  /** Milliseconds from one operation of a worker to its next; the workers begin one after another. Default: no pause. */
  readonly paceMs?: number | undefined;
  /** One operation, consuming its result. It throws when the result is not what a user would want. */
  readonly operate: (index: number, worker: number) => Promise<unknown>;
}

export interface LoadResult {
  /** Operations that succeeded. */
  readonly operations: number;
  /** How many operations failed, by their message. */
  readonly errors: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** How long each operation took that succeeded. */
  readonly latenciesMs: readonly number[];
  /** Other figures, by name and unit. */
  readonly figures?: Readonly<Record<string, number>>;
}

/** A closed loop: `workers` do `operations` between them, as fast as they are answered, or at their pace. */
export async function driveLoad({ workers, operations, operate, paceMs = 0 }: LoadOptions): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const errors: Record<string, number> = {};
  let next = 0;
  const work = async (worker: number): Promise<void> => {
    for (let turn = worker / workers; next < operations; turn++) {
      const index = next++;
      if (paceMs > 0) await sleep(Math.max(0, begun + turn * paceMs - performance.now()));
      const start = performance.now();
      try {
        await operate(index, worker);
        latenciesMs.push(performance.now() - start);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        errors[message] = (errors[message] ?? 0) + 1;
      }
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  return { operations: latenciesMs.length, errors, seconds: (performance.now() - begun) / 1000, latenciesMs };
}

/** Measures one operation; rejects as the work does. */
export async function timed(work: () => unknown): Promise<LoadResult> {
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  return { operations: 1, errors: {}, seconds: ms / 1000, latenciesMs: [ms] };
}

export interface PostOptions {
  readonly url: string;
  readonly workers: number;
  readonly bodies: readonly (string | Uint8Array)[];
  readonly headers: Readonly<Record<string, string>>;
  /** Throws when the answer is not what a user would want. */
  readonly check: (status: number, text: string) => void;
}

/** Posts each body once, over as many connections as there are workers. */
export async function postAll({ url, workers, bodies, headers, check }: PostOptions): Promise<LoadResult> {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: workers, pipelining: 1 });
  const operate = async (index: number): Promise<void> => {
    const { statusCode, body } = await pool.request({ method: 'POST', path, headers, body: bodies[index] ?? '' });
    check(statusCode, await body.text());
  };
  try {
    return await driveLoad({ workers, operations: bodies.length, operate });
  } finally {
    await pool.close();
  }
}
