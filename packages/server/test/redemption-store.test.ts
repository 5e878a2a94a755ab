import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryRedemptionStore, type Redemption, type RedemptionStore } from '../src/index.ts';
import { type SqliteRedemptionStore, sqliteRedemptionStore, type SqliteRedemptionStoreOptions } from '../src/sqlite.ts';

const NOW = 1_700_000_000_000;
let folder: string;
let opened: SqliteRedemptionStore[] = [];

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
  const store = sqliteRedemptionStore({ path: join(folder, 'store.sqlite'), now, ...limits });
  opened.push(store);
  return store;
}

function row(change: Partial<Redemption> = {}): Redemption {
  return {
    txId: 'TX1',
    version: 1,
    state: 'claimed',
    payer: 'PAYER',
    groupDigest: 'd1',
    route: 'r1',
    requirements: {
      scheme: 'exact',
      network: 'algorand:x',
      asset: '1',
      amount: '1',
      payTo: 'MERCHANT',
      maxTimeoutSeconds: 60,
      extra: {},
    },
    idempotencyKey: 'k1',
    owner: 'o1',
    held: true,
    sent: false,
    runs: 1,
    delivered: false,
    updatedAt: NOW,
    ...change,
  };
}

const stores: readonly [string, () => RedemptionStore][] = [
  ['in memory', () => memoryRedemptionStore()],
  ['in SQLite', () => sqlite()],
];

describe.each(stores)('a redemption store %s', (_name, open) => {
  it('knows nothing of a payment that was not put', async () => {
    const store = open();
    expect(await store.get('TX1')).toBeUndefined();
    expect(await store.getByPaymentId('p1')).toBeUndefined();
  });

  it('gives back what was put, by TxID and by payment id', async () => {
    const store = open();
    const full = row({
      paymentId: 'p1',
      fingerprint: 'f1',
      receipt: { success: true, transaction: 'TX1', network: 'algorand:x' },
      response: { status: 200, headers: [['set-cookie', ['a', 'b']]], body: Buffer.from([0, 255]), keptUntil: NOW + 1 },
    });
    expect(await store.put(full)).toBe('stored');
    const found = await store.get('TX1');
    expect({ ...found, response: { ...found?.response, body: Buffer.from(found?.response?.body ?? []) } }).toEqual(
      full,
    );
    expect((await store.getByPaymentId('p1'))?.txId).toBe('TX1');
  });

  it('lets one of many first writers win', async () => {
    const store = open();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, number) => store.put(row({ owner: `o${number}` }))),
    );
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'outdated')).toHaveLength(19);
  });

  it('replaces a row only from the version that the writer has seen', async () => {
    const store = open();
    await store.put(row());
    expect(await store.put(row({ version: 2, state: 'sending' }), row())).toBe('stored');
    expect(await store.put(row({ version: 2, state: 'released' }), row())).toBe('outdated');
    expect(await store.put(row({ version: 4, state: 'released' }), row({ version: 3 }))).toBe('outdated');
    expect(await store.put(row({ version: 7, state: 'released' }))).toBe('outdated');
    expect((await store.get('TX1'))?.state).toBe('sending');
  });

  it('does not create a row from a later version', async () => {
    const store = open();
    expect(await store.put(row({ version: 2 }), row())).toBe('outdated');
    expect(await store.get('TX1')).toBeUndefined();
  });

  it('removes a row only as the writer has seen it', async () => {
    const store = open();
    await store.put(row({ paymentId: 'p1' }));
    expect(await store.remove(row({ version: 2 }))).toBe(false);
    expect(await store.remove(row())).toBe(true);
    expect(await store.remove(row())).toBe(false);
    expect([await store.get('TX1'), await store.getByPaymentId('p1')]).toEqual([undefined, undefined]);
    expect(await store.put(row({ txId: 'TX2', paymentId: 'p1' }))).toBe('stored');
  });

  it('keeps a hundred refused payments of one payer, the newest, and all that others brought', async () => {
    const store = open();
    await store.put(row({ txId: 'OTHER', payer: 'OTHER', state: 'released', sent: true }));
    await store.put(row({ txId: 'OPEN', state: 'sending', sent: true }));
    for (let number = 0; number < 103; number++) {
      await store.put(row({ txId: `TX${number}`, state: 'released', sent: true, updatedAt: NOW + number }));
    }
    const found = await Promise.all(['OTHER', 'OPEN', 'TX2', 'TX3', 'TX102'].map((txId) => store.get(txId)));
    expect(found.map((known) => known?.txId)).toEqual(['OTHER', 'OPEN', undefined, 'TX3', 'TX102']);
  });

  it('gives one payment id to one TxID', async () => {
    const store = open();
    await store.put(row({ paymentId: 'p1' }));
    expect(await store.put(row({ txId: 'TX2', paymentId: 'p1' }))).toBe('payment_id_taken');
    expect(await store.get('TX2')).toBeUndefined();
    expect(await store.put(row({ txId: 'TX2', paymentId: 'p2' }))).toBe('stored');
    expect(await store.put(row({ txId: 'TX2', version: 2, paymentId: 'p1' }), row())).toBe('payment_id_taken');
    expect((await store.getByPaymentId('p1'))?.txId).toBe('TX1');
  });

  it('frees the payment id of a row that changes it', async () => {
    const store = open();
    await store.put(row({ paymentId: 'p1' }));
    await store.put(row({ version: 2, paymentId: 'p2' }), row());
    expect(await store.getByPaymentId('p1')).toBeUndefined();
    expect(await store.put(row({ txId: 'TX2', paymentId: 'p1' }))).toBe('stored');
  });

  it('drops a response that the next version does not have', async () => {
    const store = open();
    const response = { status: 200, headers: [], body: Buffer.from('x'), keptUntil: NOW + 1 };
    await store.put(row({ response }));
    await store.put(row({ version: 2 }), row());
    expect((await store.get('TX1'))?.response).toBeUndefined();
  });
});

describe('the store in memory', () => {
  it('forgets the oldest finished rows when it is full, never one under way', async () => {
    const store = memoryRedemptionStore({ maxRows: 3, now: () => NOW });
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
    const store = memoryRedemptionStore({ maxRows: 1, now: () => now });
    await store.put(row({ state: 'sending', held: false }));
    await expect(store.put(row({ txId: 'TX2' }))).rejects.toMatchObject({ code: 'store_unavailable' });
    now += 61 * 60_000;
    expect(await store.put(row({ txId: 'TX2' }))).toBe('stored');
  });

  it('bounds the bytes of kept responses and keeps their receipts', async () => {
    const store = memoryRedemptionStore({ maxResponseBytes: 100 });
    const response = { status: 200, headers: [], body: new Uint8Array(60), keptUntil: NOW + 1 };
    await store.put(row({ txId: 'OLD', state: 'settled', response }));
    await store.put(row({ txId: 'NEW', state: 'settled', response }));
    expect((await store.get('OLD'))?.response).toBeUndefined();
    expect((await store.get('OLD'))?.state).toBe('settled');
    expect((await store.get('NEW'))?.response).toBeDefined();
  });
});

const limited: readonly [string, () => RedemptionStore][] = [
  ['in memory', () => memoryRedemptionStore({ maxResponseBytes: 100, maxResponseBytesPerPayer: 50 })],
  ['in SQLite', () => sqlite(() => NOW, { maxResponseBytes: 100, maxResponseBytesPerPayer: 50 })],
];

describe.each(limited)('the kept responses of a store %s', (_name, open) => {
  const response = { status: 200, headers: [], body: new Uint8Array(20), keptUntil: NOW + 1 };

  it('of one payer displace those of the same payer, not of others', async () => {
    const store = open();
    await store.put(row({ txId: 'OTHER', payer: 'OTHER', state: 'settled', response }));
    for (let number = 0; number < 10; number++) {
      const updatedAt = NOW + number;
      await store.put(row({ txId: `TX${number}`, state: 'settled', response, updatedAt }));
    }
    const kept = await Promise.all(['OTHER', 'TX7', 'TX8', 'TX9'].map((txId) => store.get(txId)));
    expect(kept.map((known) => [known?.state, known?.response?.body.length])).toEqual([
      ['settled', 20],
      ['settled', undefined],
      ['settled', 20],
      ['settled', 20],
    ]);
  });

  it('of many payers are bounded in total', async () => {
    const store = open();
    for (let number = 0; number < 10; number++) {
      const updatedAt = NOW + number;
      await store.put(row({ txId: `TX${number}`, payer: `P${number}`, state: 'settled', response, updatedAt }));
    }
    const kept = await Promise.all(Array.from({ length: 10 }, (_, number) => store.get(`TX${number}`)));
    expect(kept.map((known) => known?.response !== undefined)).toEqual([
      ...Array.from({ length: 5 }, () => false),
      ...Array.from({ length: 5 }, () => true),
    ]);
  });
});

describe('the store in SQLite', () => {
  it('forgets the oldest finished rows when there are too many, never one under way', async () => {
    let now = NOW;
    const store = sqlite(() => now, { maxRows: 2 });
    await store.put(row({ txId: 'UNDER-WAY' }));
    await store.put(row({ txId: 'OLD', state: 'settled', updatedAt: NOW + 1 }));
    await store.put(row({ txId: 'NEWER', state: 'settled', updatedAt: NOW + 2 }));
    now += 61_000;
    await store.put(row({ txId: 'NEW', updatedAt: now }));
    const found = await Promise.all(['UNDER-WAY', 'OLD', 'NEWER', 'NEW'].map((txId) => store.get(txId)));
    expect(found.map((known) => known?.txId)).toEqual(['UNDER-WAY', undefined, 'NEWER', 'NEW']);
  });

  it('is shared by two connections as it is by two processes', async () => {
    const [one, other] = [sqlite(), sqlite()];
    expect(await one.put(row())).toBe('stored');
    expect(await other.put(row())).toBe('outdated');
    expect(await other.put(row({ version: 2, state: 'settled' }), row())).toBe('stored');
    expect((await one.get('TX1'))?.state).toBe('settled');
  });

  it('keeps its rows when it is closed and opened', async () => {
    const first = sqliteRedemptionStore({ path: join(folder, 'store.sqlite') });
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
    expect((await store.get('SETTLED'))?.response).toBeUndefined();
    expect((await store.get('SETTLED'))?.state).toBe('settled');
    now += 25 * 60 * 60_000;
    await store.put(row({ txId: 'TX3', updatedAt: now }));
    expect(await store.get('SETTLED')).toBeUndefined();
    expect(await store.get('OPEN')).toBeDefined();
  });

  it('keeps up with a busy server: what a batch leaves of the old rows goes with the next writes', async () => {
    let now = NOW;
    const store = sqlite(() => now);
    const names = Array.from({ length: 2_500 }, (_, index) => `OLD-${index}`);
    for (const txId of names) await store.put(row({ txId, state: 'settled' }));
    now += 25 * 60 * 60_000;
    for (const txId of ['A', 'B', 'C', 'D']) await store.put(row({ txId, updatedAt: now }));
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

  it('is created by many processes at once, and all of them can use it', async () => {
    const module = JSON.stringify(new URL('../src/sqlite.ts', import.meta.url).href);
    const program = `
      const { sqliteRedemptionStore } = await import(${module});
      process.stdin.once('data', () => {
        for (let number = 0; number < 5; number++) sqliteRedemptionStore({ path: '${folder}/' + number }).close();
        process.exit(0);
      });
      console.log('ready');`;
    const processes = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ['--conditions=@avm402/source', '--input-type=module', '-e', program], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    const exits = processes.map((child) => once(child, 'exit'));
    await Promise.all(processes.map((child) => once(child.stdout, 'data')));
    for (const child of processes) child.stdin.write('go');
    expect((await Promise.all(exits)).map(([code]) => code)).toEqual([0, 0, 0, 0]);
  });

  it('says so when the file is none of its own', () => {
    expect(() => sqliteRedemptionStore({ path: folder })).toThrow(
      expect.objectContaining({ code: 'store_unavailable' }),
    );
  });
});
