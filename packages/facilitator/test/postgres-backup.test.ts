import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '@avm402/testkit/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresSettlementStore, type SettlementStore } from '../src/index.ts';
import { settlement } from './settlement-store-contract.ts';

const us = { owner: 'us', leaseMs: 60_000 };
let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
}, 60_000);

afterAll(() => server.stop());

/** A store in use: something is settled, and something is under way. */
async function storeInUse(): Promise<{ readonly url: string; readonly store: SettlementStore }> {
  const url = await server.createDatabase();
  const store = postgresSettlementStore({ url });
  await store.open();
  for (const txId of ['SETTLED', 'UNDER WAY']) {
    await store.record(settlement(txId), us);
    await store.change(txId, us.owner, { to: 'submitted' });
  }
  await store.change('SETTLED', us.owner, { to: 'confirmed', confirmedRound: 150n });
  return { url, store };
}

/** The restored store knows what the other one knew, and its owner takes up what was under way. */
async function expectRestored(url: string, original: SettlementStore): Promise<void> {
  const store = postgresSettlementStore({ url });
  await store.open();
  expect(await store.id()).toBe(await original.id());
  const { network } = settlement('UNDER WAY');
  expect(await store.list({ limit: 10 })).toEqual(await original.list({ limit: 10 }));
  const taken = await store.takeOver({ ...us, networks: [network], withOwn: true });
  expect(taken.map(({ txId }) => txId)).toEqual(['UNDER WAY']);
  expect(taken[0]?.group).toEqual(settlement('UNDER WAY').group);
  await store.close();
}

it('a copy of the server, taken while its replicas write, is a store that goes on where it was copied', async () => {
  const { url, store } = await storeInUse();
  const copy = await server.copy();
  await expectRestored(copy.urlOf(url), store);
  await copy.stop();
  await store.close();
});

/** Whether this machine's pg_dump reads the tests' server. */
function dumps(url: string): boolean {
  return spawnSync('pg_dump', ['--schema-only', url]).status === 0;
}

it('the commands of docs/facilitator.md move the tables to an empty database, where pg_dump is of the server’s version', async () => {
  const { url, store } = await storeInUse();
  const page = await readFile(new URL('../../../docs/facilitator.md', import.meta.url), 'utf8');
  const [, dump = ''] = /`(pg_dump [^`]+)`/.exec(page) ?? [];
  const [, restore = ''] = /`(pg_restore [^`]+)`/.exec(page) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'avm402-dump-'));
  const empty = await server.createDatabase();
  const run = (command: string, database: string) =>
    spawnSync('sh', ['-c', command.replace('FILE', join(folder, 'dump'))], {
      env: { PATH: process.env['PATH'], DATABASE_URL: database },
      encoding: 'utf8',
    });
  const dumped = run(dump, url);
  if (dumps(url)) {
    expect(dumped).toMatchObject({ status: 0, stderr: '' });
    expect(run(restore, empty)).toMatchObject({ status: 0, stderr: '' });
    await expectRestored(empty, store);
  } else {
    // There is none, or an older one, which says so and writes nothing.
    expect(dumped.stderr).toMatch(/not found|server version mismatch/);
  }
  await store.close();
  await rm(folder, { recursive: true });
});
