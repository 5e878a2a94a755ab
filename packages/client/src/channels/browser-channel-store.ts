import { channelId } from '@avm402/avm/batch-settlement';
import { X402Error } from '@avm402/core/errors';
import { type ChannelRecord, encodeChannelRecord, parseChannelRecord } from './channel-record.ts';
import type { ChannelStore } from './channel-store.ts';

const RECORDS = 'channels';

/**
 * Remembers channels in the browser (IndexedDB), for pages of the same origin. It holds the session keys of a wallet's
 * channels; scripts of that origin can read them.
 *
 * @example
 * ```ts
 * import { createPayingFetch, type TransactionWallet } from '@avm402/client';
 * import { browserChannelStore } from '@avm402/client/browser-channel-store';
 *
 * function payingWith(wallet: TransactionWallet): typeof fetch {
 *   return createPayingFetch({ account: wallet, channels: { store: browserChannelStore() } });
 * }
 * ```
 *
 * Its methods reject with X402Error `journal_unavailable`, `read` also with `journal_corrupt`.
 */
export function browserChannelStore(database = 'avm402-channels'): ChannelStore {
  return {
    read: async () => {
      const found: unknown[] = await transact(database, 'readonly', (records) => records.getAll());
      return found.map(recordOf).toSorted(byExpiry);
    },
    write: async (record) => {
      const id = channelId(record.config);
      if (record.state === 'closed') await transact(database, 'readwrite', (records) => records.delete(id));
      else await transact(database, 'readwrite', (records) => records.put(encodeChannelRecord(record), id));
    },
  };
}

/** Does one thing in a transaction, and resolves once it would survive a crash. */
async function transact<T>(
  name: string,
  mode: IDBTransactionMode,
  work: (records: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  try {
    const database = await open(name);
    try {
      const transaction = database.transaction(RECORDS, mode, { durability: 'strict' });
      const request = work(transaction.objectStore(RECORDS));
      await new Promise((resolve, reject) => {
        transaction.addEventListener('complete', resolve);
        transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('aborted')));
      });
      return request.result;
    } finally {
      database.close();
    }
  } catch (cause) {
    throw new X402Error('journal_unavailable', { message: `can't use the browser's database ${name}`, cause });
  }
}

function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(RECORDS));
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('not opened')));
  });
}

function recordOf(line: unknown): ChannelRecord {
  const record = typeof line === 'string' ? parseChannelRecord(line) : undefined;
  if (record) return record;
  throw new X402Error('journal_corrupt', { message: 'the browser holds a record of a channel that can’t be read' });
}

/** Channels that are opened later expire later. */
function byExpiry(one: ChannelRecord, other: ChannelRecord): number {
  return Number(one.config.expiry - other.config.expiry);
}
