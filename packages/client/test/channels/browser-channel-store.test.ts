import { channelId } from '@avm402/avm/batch-settlement';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { browserChannelStore } from '../../src/channels/browser-channel-store.ts';
import type { ChannelRecord } from '../../src/channels/channel-record.ts';
import { recordOf } from './channel-parts.ts';

/** A browser's databases, whose next opening or transaction can be made to fail; what is asked of them, in order. */
function browser() {
  const databases = new Map<string, Map<string, unknown>>();
  const asked: string[] = [];
  const trouble: { open?: Error; transaction?: Error } = {};
  const later = (target: EventTarget, type: string): void =>
    void setImmediate(() => target.dispatchEvent(new Event(type)));

  const transaction = (records: Map<string, unknown>, mode: string, durability: string): EventTarget => {
    asked.push(`${mode}, ${durability}`);
    const error = trouble.transaction;
    const done = <T>(result: T): { result: T } => {
      // A request has its result before the transaction is complete.
      setImmediate(() => later(over, error ? 'abort' : 'complete'));
      return { result };
    };
    const objectStore = () => ({
      getAll: () => done([...records.values()]),
      put: (value: unknown, key: string) => done(error ?? records.set(key, value)),
      delete: (key: string) => done(error ?? records.delete(key)),
    });
    const over = Object.assign(new EventTarget(), { objectStore, error });
    return over;
  };

  const open = (name: string, version: number): EventTarget => {
    asked.push(`version ${version}`);
    const isNew = !databases.has(name);
    const result = {
      createObjectStore: () => databases.set(name, new Map()),
      transaction: (_store: string, mode: string, { durability }: { durability: string }) =>
        transaction(databases.get(name) ?? new Map(), mode, durability),
      close: () => asked.push('close'),
    };
    const request = Object.assign(new EventTarget(), { result, error: trouble.open });
    if (trouble.open === undefined && isNew) later(request, 'upgradeneeded');
    later(request, trouble.open ? 'error' : 'success');
    return request;
  };

  vi.stubGlobal('indexedDB', { open });
  return { databases, asked, trouble };
}

/** A record that expires in this round. */
function expiringAt(expiry: bigint, change: Partial<ChannelRecord> = {}): ChannelRecord {
  const { config } = recordOf();
  return recordOf({ config: { ...config, expiry }, ...change });
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('channels that a browser remembers', () => {
  it('are read as they were written, the first to expire first, each once', async () => {
    const { asked } = browser();
    const store = browserChannelStore();
    const [first, second, third] = [300n, 100n, 200n].map((expiry) => expiringAt(expiry));
    if (!first || !second || !third) throw new Error('three records');
    for (const record of [first, second, third, { ...third, charged: 5n }]) await store.write(record);
    expect(await store.read()).toEqual([second, { ...third, charged: 5n }, first]);
    expect(asked.slice(-4)).toEqual(['close', 'version 1', 'readonly, strict', 'close']);
  });

  it('are forgotten once they are closed', async () => {
    const { databases } = browser();
    const store = browserChannelStore('mine');
    await store.write(expiringAt(100n));
    await store.write(expiringAt(200n));
    await store.write(expiringAt(100n, { state: 'closed' }));
    expect(await store.read()).toEqual([expiringAt(200n)]);
    expect([...databases.keys()]).toEqual(['mine']);
    expect([...(databases.get('mine')?.keys() ?? [])]).toEqual([channelId(expiringAt(200n).config)]);
  });

  it.each(['open', 'closed'] as const)('are on record before a write of one that is %s resolves', async (state) => {
    const { asked } = browser();
    const store = browserChannelStore();
    await store.write(expiringAt(100n, { state }));
    expect(asked).toEqual(['version 1', 'readwrite, strict', 'close']);
  });

  it.each([
    ['a database that does not open', 'open', []],
    ['a transaction that is aborted', 'transaction', ['close', 'close']],
  ] as const)('are neither read nor written through %s', async (_name, where, closed) => {
    const { trouble, asked } = browser();
    const cause = new Error('the disk is full');
    trouble[where] = cause;
    const store = browserChannelStore();
    const refused = { code: 'journal_unavailable', cause };
    await expect(store.read()).rejects.toMatchObject(refused);
    await expect(store.write(expiringAt(100n))).rejects.toMatchObject(refused);
    expect(asked.filter((what) => what === 'close')).toEqual(closed);
  });

  it.each(['{}', 7])('are not read at all beside one that is no record: %j', async (line) => {
    const { databases } = browser();
    const store = browserChannelStore();
    await store.write(expiringAt(100n));
    databases.get('avm402-channels')?.set('another', line);
    await expect(store.read()).rejects.toMatchObject({ code: 'journal_corrupt' });
  });
});
