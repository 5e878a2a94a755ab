import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDriver, type Driver } from '../harness/driver.ts';
import type { LoadResult } from '../harness/load.ts';
import { startPostgres } from '../harness/postgres.ts';
import { latency } from '../harness/ratio.ts';
import type { Bench, Scenario } from '../harness/scenario.ts';
import type { StoreJob } from '../harness/store-job.ts';

type Store = Driver<StoreJob, LoadResult>;

export const growth: Scenario = {
  name: 'growth',
  title: 'The settlement store as it grows',
  method:
    'The store’s part of one settlement (find, record, submit, confirm, find) with more and more old rows in it, and ' +
    'the removal of old ones, 500 at a time. SQLite: one after another; PostgreSQL on the same machine: ten at a time, ' +
    'its own CPU time not counted.',
  ratios: [],
  plot: { name: 'p50 ms', measure: latency(0.5) },
  async run(bench) {
    const slices = [];
    for (const kind of ['SQLite', 'PostgreSQL'] as const) {
      slices.push(...(await bench.scoped((inner) => growing(inner, kind))));
    }
    return slices;
  },
};

async function growing(bench: Bench, kind: 'SQLite' | 'PostgreSQL') {
  const environment =
    kind === 'SQLite' ? await sqliteFile(bench) : { DATABASE_URL: (await bench.own(startPostgres())).url };
  const store = await bench.own(startDriver<StoreJob, LoadResult>({ file: 'store.ts', environment }));
  const slices = [];
  for (const rows of bench.full ? [1000, 10_000, 100_000, 1_000_000] : [1000, 10_000]) {
    bench.progress(`filling ${kind} to ${rows.toLocaleString('en-US')} rows`);
    await store.run({ task: 'fill', operations: rows });
    const where = `${rows.toLocaleString('en-US')} rows`;
    slices.push(...(await measure(bench, store, { kind, where, job: { task: 'payments', operations: 1000 } })));
    // In a small store there is no second batch to remove.
    if (rows < 10_000) continue;
    slices.push(
      ...(await measure(bench, store, { kind, where: `${where}, prune 500`, job: { task: 'prune', operations: 3 } })),
    );
  }
  return slices;
}

interface Measurement {
  readonly kind: string;
  readonly where: string;
  readonly job: StoreJob;
}

function measure(bench: Bench, store: Store, { kind, where, job }: Measurement) {
  const side = { name: kind, processes: { store: store.pid }, run: () => store.run(job) };
  return bench.compare({ case: where, sides: [side], rounds: bench.full ? 3 : 1 });
}

async function sqliteFile(bench: Bench): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'avm402-bench-'));
  await bench.own(Promise.resolve({ stop: () => rm(folder, { recursive: true, force: true }) }));
  return { SETTLEMENT_STORE: join(folder, 'settlements.sqlite') };
}
