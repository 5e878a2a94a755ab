import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RedemptionRows } from '../src/redemption/stores/redemption-rows.ts';
import { createMemoryRedemptionStore } from '../src/redemption/stores/memory-redemption-store.ts';
import {
  type SqliteRedemptionStore,
  createSqliteRedemptionStore,
  type SqliteRedemptionStoreOptions,
} from '../src/sqlite.ts';
import type { VersionedRows } from '../src/stores/versioned-rows.ts';
import { describeRedemptionStore, NOW, row } from './redemption-store-contract.ts';
import { describeRiskStore } from './risk-store-contract.ts';

let folder: string;
let opened: SqliteRedemptionStore[] = [];
let risksOpened = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redemptions-'));
});
afterEach(async () => {
  for (const store of opened) store.close();
  opened = [];
  await rm(folder, { recursive: true });
});

function sqlite(
  now = (): number => NOW,
  limits: Omit<SqliteRedemptionStoreOptions, 'path' | 'now'> = {},
): SqliteRedemptionStore {
  const store = createSqliteRedemptionStore({ path: join(folder, 'store.sqlite'), now, ...limits });
  opened.push(store);
  return store;
}

describeRedemptionStore('in memory', async (limits) => createMemoryRedemptionStore(limits));
describeRedemptionStore('in SQLite', async (limits) => sqlite(() => NOW, limits));
describeRiskStore('in memory', async (handles) => {
  const { risks } = createMemoryRedemptionStore();
  return Array.from({ length: handles }, () => risks ?? expect.fail('it keeps no risks'));
});
describeRiskStore('in SQLite', async (handles) => {
  const path = join(folder, `risks-${++risksOpened}.sqlite`);
  return Array.from({ length: handles }, () => {
    const store = createSqliteRedemptionStore({ path });
    opened.push(store);
    return store.risks ?? expect.fail('it keeps no risks');
  });
});

describe('the store in memory', () => {
  it('forgets the oldest finished rows when it is full, never one under way', async () => {
    const store = createMemoryRedemptionStore({ maxRows: 3, now: () => NOW });
    await store.put(row({ txId: 'UNDER-WAY' }));
    await store.put(row({ txId: 'OLD', state: 'settled' }));
    await store.put(row({ txId: 'NEWER', state: 'settled' }));
    await store.put(row({ txId: 'NEW' }));
    expect(await store.get('OLD')).toBeUndefined();
    expect(await store.get('UNDER-WAY')).toBeDefined();
    expect(await store.get('NEWER')).toBeDefined();
  });

  it('takes no payment when all rows are under way, but does not wait for ever for those that were left', async () => {
    let now = NOW;
    const store = createMemoryRedemptionStore({ maxRows: 1, now: () => now });
    await store.put(row({ state: 'sending', held: false }));
    await expect(store.put(row({ txId: 'TX2' }))).rejects.toMatchObject({ code: 'store_unavailable' });
    now += 61 * 60_000;
    expect(await store.put(row({ txId: 'TX2' }))).toBe('stored');
  });

  it('bounds the bytes of kept responses and keeps their receipts', async () => {
    const store = createMemoryRedemptionStore({ maxResponseBytes: 100 });
    const response = { status: 200, headers: [], body: new Uint8Array(60), keptUntil: NOW + 1 };
    await store.put(row({ txId: 'OLD', state: 'settled', response }));
    await store.put(row({ txId: 'NEW', state: 'settled', response }));
    expect((await store.get('OLD'))?.response).toBeUndefined();
    expect((await store.get('OLD'))?.state).toBe('settled');
    expect((await store.get('NEW'))?.response).toBeDefined();
  });
});

it('a store in a database looks through what it keeps of a payer once for many small responses', async () => {
  const statements: string[] = [];
  const rows = {
    table: { name: 'redemptions', key: 'tx_id' },
    insert: () => true,
    run: (sql: string) => (statements.push(sql), 0),
  };
  const store = new RedemptionRows(rows as unknown as VersionedRows, { now: () => NOW });
  const response = { status: 200, headers: [], body: new Uint8Array(1_000), keptUntil: NOW + 1 };
  for (let number = 0; number < 100; number++) await store.put(row({ txId: `TX${number}`, response }));
  expect(statements.filter((sql) => sql.includes('payer = ?'))).toHaveLength(1);
});

it('a store in a database has stored a row also where what the row displaces can’t be removed; the next tries again', async () => {
  const tried: string[] = [];
  const rows = {
    table: { name: 'redemptions', key: 'tx_id' },
    insert: () => true,
    run: (sql: string) => (tried.push(sql), Promise.reject(new Error('the connection broke'))),
  };
  const store = new RedemptionRows(rows as unknown as VersionedRows, { now: () => NOW });
  const response = { status: 200, headers: [], body: new Uint8Array(1_000), keptUntil: NOW + 1 };
  expect(await store.put(row({ state: 'released' }))).toBe('stored');
  tried.length = 0;
  for (const txId of ['TX2', 'TX3']) expect(await store.put(row({ txId, response }))).toBe('stored');
  expect(tried.filter((sql) => sql.includes('payer = ?'))).toHaveLength(2);
});

describe('the store in SQLite', () => {
  it('is closed by whoever stops first, and by the next one without harm', () => {
    const store = sqlite();
    store.close();
    expect(() => store.close()).not.toThrow();
  });

  it('forgets the oldest finished rows when there are too many, never one under way', async () => {
    let now = NOW;
    const store = sqlite(() => now, { maxRows: 2 });
    await store.put(row({ txId: 'UNDER-WAY' }));
    await store.put(row({ txId: 'OLD', state: 'settled', updatedAt: NOW + 1 }));
    await store.put(row({ txId: 'NEWER', state: 'settled', updatedAt: NOW + 2 }));
    now += 61_000;
    await store.put(row({ txId: 'NEW', updatedAt: now }));
    await expect.poll(() => store.get('NEWER')).toBeUndefined();
    const found = await Promise.all(['UNDER-WAY', 'OLD', 'NEW'].map((txId) => store.get(txId)));
    expect(found.map((known) => known?.txId)).toEqual(['UNDER-WAY', undefined, 'NEW']);
  });

  it('forgets them, too, when the clock was set back', async () => {
    let now = NOW;
    const store = sqlite(() => now, { maxRows: 2 });
    await store.put(row({ txId: 'OLD', state: 'settled', updatedAt: NOW }));
    now -= 365 * 24 * 60 * 60_000;
    await store.put(row({ txId: 'OLDER', state: 'settled', updatedAt: now }));
    await store.put(row({ txId: 'NEWER', state: 'settled', updatedAt: now + 1 }));
    now += 61_000;
    await store.put(row({ txId: 'NEW', updatedAt: now }));
    const left = async (): Promise<number> => {
      const found = await Promise.all(['OLD', 'OLDER', 'NEWER', 'NEW'].map((txId) => store.get(txId)));
      return found.filter((known) => known !== undefined).length;
    };
    await expect.poll(left).toBe(2);
  });

  it('is shared by two connections as it is by two processes', async () => {
    const [one, other] = [sqlite(), sqlite()];
    expect(await one.put(row())).toBe('stored');
    expect(await other.put(row())).toBe('outdated');
    expect(await other.put(row({ version: 2, state: 'settled' }), row())).toBe('stored');
    expect((await one.get('TX1'))?.state).toBe('settled');
  });

  it('stays in use by this process when it is opened there again: no other program may take its log away', async () => {
    await sqlite().put(row());
    await sqlite().get('TX1');
    const url = `file:${join(folder, 'store.sqlite')}?vfs=unix-excl`;
    const program = `const { DatabaseSync } = require('node:sqlite');
      new DatabaseSync(new URL('${url}')).exec('DELETE FROM redemptions');`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('database is locked')]);
    expect(await sqlite().get('TX1')).toBeDefined();
  });

  it('opens the file of a release that knew no risks, which can open it again', async () => {
    const path = join(folder, 'store.sqlite');
    createSqliteRedemptionStore({ path }).close();
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const before = new DatabaseSync(path);
    const version = before.prepare('PRAGMA user_version').get();
    before.exec('DROP TABLE risks');
    before.close();
    const store = sqlite();
    const bounds = { perPayment: 1n, perPayer: 1n, total: 1n, lossPerHour: 1n };
    const risk = { txId: 'TX1', payer: 'PAYER', network: 'algorand:x', amount: 1n, since: NOW } as const;
    expect(await store.risks?.take(risk, bounds)).toBe(true);
    const after = new DatabaseSync(path);
    expect(after.prepare('PRAGMA user_version').get()).toEqual(version);
    after.close();
  });

  it('keeps its rows when it is closed and opened', async () => {
    const first = createSqliteRedemptionStore({ path: join(folder, 'store.sqlite') });
    await first.put(row({ updatedAt: Date.now() }));
    first.close();
    expect((await sqlite().get('TX1'))?.txId).toBe('TX1');
  });

  it('drops responses after their time and finished rows after a day, but none whose settlement is open', async () => {
    let now = NOW;
    const store = sqlite(() => now);
    const response = { status: 200, headers: [], body: Buffer.from('x'), keptUntil: NOW + 1000 };
    await store.put(row({ txId: 'SETTLED', state: 'settled', response }));
    await store.put(row({ txId: 'OPEN', state: 'sending' }));
    now += 2 * 60_000;
    await store.put(row({ txId: 'TX2', updatedAt: now }));
    await expect.poll(async () => (await store.get('SETTLED'))?.response).toBeUndefined();
    expect((await store.get('SETTLED'))?.state).toBe('settled');
    now += 25 * 60 * 60_000;
    await store.put(row({ txId: 'TX3', updatedAt: now }));
    await expect.poll(() => store.get('SETTLED')).toBeUndefined();
    expect(await store.get('OPEN')).toBeDefined();
  });

  it('keeps up with a busy server: what a batch leaves of the old rows goes with the next writes', async () => {
    let now = NOW;
    const store = sqlite(() => now);
    const names = Array.from({ length: 2_500 }, (_, index) => `OLD-${index}`);
    for (const txId of names) await store.put(row({ txId, state: 'settled' }));
    now += 25 * 60 * 60_000;
    for (const txId of ['A', 'B', 'C', 'D']) {
      await store.put(row({ txId, updatedAt: now }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const left = await Promise.all(names.map((txId) => store.get(txId)));
    expect(left.filter((known) => known !== undefined)).toHaveLength(0);
  });

  it('is readable by its owner alone, with the files beside it, also where it was open to all before', async () => {
    const path = join(folder, 'store.sqlite');
    for (const name of [path, `${path}-wal`, `${path}-shm`]) await writeFile(name, '', { mode: 0o644 });
    await rm(`${path}-wal`);
    const store = sqlite();
    await store.put(row());
    const names = await readdir(folder);
    const modes = await Promise.all(
      names.map(async (name) => ((await stat(join(folder, name))).mode & 0o777).toString(8)),
    );
    expect([names.toSorted(), modes]).toEqual([
      ['store.sqlite', 'store.sqlite-shm', 'store.sqlite-wal'],
      ['600', '600', '600'],
    ]);
  });

  it.each(['sent', 'state', 'requirements.amount', 'response.keptUntil'])(
    'says so where a row lacks %s, and keeps what is there',
    async (member) => {
      const store = sqlite();
      await store.put(row({ response: { status: 200, headers: [], body: new Uint8Array(1), keptUntil: NOW + 1 } }));
      const { DatabaseSync } = await import('node:sqlite');
      using file = new DatabaseSync(join(folder, 'store.sqlite'));
      const documents = (): unknown[] => file.prepare('SELECT document, body FROM redemptions').all();
      file.exec(`UPDATE redemptions SET document = json_remove(document, '$.${member}')`);
      const before = documents();
      await expect(store.get('TX1')).rejects.toMatchObject({ code: 'store_unavailable' });
      expect(documents()).toEqual(before);
    },
  );

  it('gives back what a later version has added to a row', async () => {
    const store = sqlite();
    await store.put({ ...row(), laterMember: 7 } as never);
    expect(await store.get('TX1')).toEqual({ ...row(), laterMember: 7 });
  });

  it('is created by many processes at once, and all of them can use it', async () => {
    const program = `
      const { createSqliteRedemptionStore } = await import('@avm402/server/sqlite');
      process.stdin.once('data', () => {
        for (let number = 0; number < 5; number++) createSqliteRedemptionStore({ path: '${folder}/' + number }).close();
        process.exit(0);
      });
      console.log('ready');`;
    const processes = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', program], {
        cwd: import.meta.dirname,
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    const exits = processes.map((child) => once(child, 'exit'));
    await Promise.all(processes.map((child) => once(child.stdout, 'data')));
    for (const child of processes) child.stdin.write('go');
    expect((await Promise.all(exits)).map(([code]) => code)).toEqual([0, 0, 0, 0]);
  });

  it('says so, and why, when the file is none of its own', () => {
    expect(() => createSqliteRedemptionStore({ path: folder })).toThrow(
      expect.objectContaining({ code: 'store_unavailable', message: expect.stringContaining('EISDIR') }),
    );
  });
});
