import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryChannelStore } from '../src/channels/stores/memory-channel-store.ts';
import { type SqliteChannelStore, createSqliteChannelStore } from '../src/sqlite.ts';
import { describeChannelStore } from './channel-store-contract.ts';
import { channel, charging, NOW, request } from './support/channels.ts';

let folder: string;
let opened: SqliteChannelStore[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channels-'));
});
afterEach(async () => {
  for (const store of opened) store.close();
  opened = [];
  await rm(folder, { recursive: true });
});

function sqlite(): SqliteChannelStore {
  const store = createSqliteChannelStore({ path: join(folder, 'channels.sqlite') });
  opened.push(store);
  return store;
}

describeChannelStore('in memory', async () => createMemoryChannelStore());
describeChannelStore('in SQLite', async () => sqlite());

describe('the channel store in SQLite', () => {
  it('is closed by whoever stops first, and by the next one without harm', () => {
    const store = sqlite();
    store.close();
    expect(() => store.close()).not.toThrow();
  });

  it('is shared by two connections as it is by two processes', async () => {
    const [one, other] = [sqlite(), sqlite()];
    const known = channel(1);
    await one.write([{ next: known }]);
    expect(await other.write([charging(known, 10n)])).toEqual(['stored']);
    expect(await one.write([charging(known, 11n)])).toEqual(['outdated']);
    expect((await one.get(known.channelId))?.charged).toBe(10n);
  });

  it('keeps nothing of a batch that fails, and goes on', async () => {
    const store = sqlite();
    const known = channel(1);
    const broken = { ...channel(2), state: null } as unknown as typeof known;
    await expect(store.write([{ next: known }, { next: broken }])).rejects.toMatchObject({ code: 'ERR_SQLITE_ERROR' });
    expect(await store.get(known.channelId)).toBeUndefined();
    expect(await store.write([{ next: known }])).toEqual(['stored']);
  });

  it('is readable by its owner alone, with the files beside it', async () => {
    const store = sqlite();
    await store.claimKey(new Uint8Array(32));
    const files = await readdir(folder);
    const modes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).mode & 0o777));
    expect([files.length, new Set(modes)]).toEqual([3, new Set([0o600])]);
  });

  it('lets go of its file when it is closed', async () => {
    const store = sqlite();
    await store.write([{ next: channel(1) }]);
    store.close();
    opened = [];
    expect(await readdir(folder)).toEqual(['channels.sqlite']);
  });

  it('takes a file of an earlier version, which goes on with it', async () => {
    const path = join(folder, 'channels.sqlite');
    sqlite().close();
    opened = [];
    const { DatabaseSync } = await import('node:sqlite');
    const old = new DatabaseSync(path);
    old.exec('DROP INDEX kept_responses; DROP INDEX deposits_of_channels');
    old.exec('ALTER TABLE requests DROP COLUMN kept_until; ALTER TABLE deposits DROP COLUMN channel_id');
    const store = sqlite();
    old.exec("INSERT INTO deposits (tx_id) VALUES ('OLD')");
    await store.write([{ next: channel(1), deposits: ['NEW'] }]);
    await store.write([{ next: channel(1, { version: 2, state: 'closed' }), previous: 1 }]);
    expect(await Promise.all(['OLD', 'NEW'].map((txId) => store.hasDeposit(txId)))).toEqual([true, false]);
    old.close();
  });

  it('lists the others where a row can’t be read', async () => {
    const store = sqlite();
    const channels = [1, 2, 3].map((number) => channel(number));
    await store.write(channels.map((next) => ({ next })));
    const [broken] = channels;
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(join(folder, 'channels.sqlite'));
    database.prepare("UPDATE channels SET progress = '{' WHERE channel_id = ?").run(broken?.channelId ?? '');
    database.close();
    const listed = await store.unfinished({ limit: 10 });
    const unread = listed.flatMap((one) => ('error' in one ? [one.channelId] : []));
    expect([listed.length, unread]).toEqual([3, [broken?.channelId]]);
  });

  it('forgets the other responses at the end of their time where a request can’t be read', async () => {
    const store = sqlite();
    const next = channel(1);
    const response = { status: 200, headers: [], body: Buffer.from([1]), keptUntil: NOW };
    await store.write([{ next, requests: [1n, 2n].map((amount) => request(amount, { response })) }]);
    const { DatabaseSync } = await import('node:sqlite');
    using database = new DatabaseSync(join(folder, 'channels.sqlite'));
    database.exec("UPDATE requests SET document = '{' WHERE amount LIKE '%1'");
    await store.prune(NOW);
    expect(await store.request(next.channelId, 2n)).toEqual(request(2n));
    expect(database.prepare('SELECT body FROM requests').all()).toEqual([{ body: null }, { body: null }]);
    await expect(store.request(next.channelId, 1n)).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  it.each([
    ['channels', 'progress', 'state'],
    ['channels', 'progress', 'floor'],
    ['channels', 'terms', 'requirements'],
    ['requests', 'document', 'buyer.route'],
  ])('says so where %s lack a part of their %s, %s, and keeps what is there', async (table, column, member) => {
    const store = sqlite();
    const next = channel(1);
    const buyer = { paymentId: 'p', fingerprint: 'f', route: 'r' };
    await store.write([{ next, requests: [{ amount: 1n, charge: 1n, owner: 'o', buyer }] }]);
    const { DatabaseSync } = await import('node:sqlite');
    using database = new DatabaseSync(join(folder, 'channels.sqlite'));
    const documents = (): unknown[] => database.prepare(`SELECT ${column} FROM ${table}`).all();
    database.exec(`UPDATE ${table} SET ${column} = json_remove(${column}, '$.${member}')`);
    const before = documents();
    const read = table === 'channels' ? store.get(next.channelId) : store.request(next.channelId, 1n);
    await expect(read).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(documents()).toEqual(before);
  });

  it('is none in the file of a redemption store', async () => {
    const { createSqliteRedemptionStore } = await import('../src/sqlite.ts');
    const path = join(folder, 'channels.sqlite');
    createSqliteRedemptionStore({ path }).close();
    expect(() => createSqliteChannelStore({ path })).toThrow(expect.objectContaining({ code: 'store_unavailable' }));
    // The file that was refused is let go: whose it is can use it at once.
    const redemptions = createSqliteRedemptionStore({ path });
    expect(await redemptions.get('TX')).toBeUndefined();
    redemptions.close();
  });
});
