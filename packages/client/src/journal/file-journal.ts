import { open, readFile, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { X402Error } from '@avm402/core/errors';
import { lockFile, type FileLock } from './file-lock.ts';
import { encodeEntry, parseEntry } from './journal-line.ts';
import type { JournalEntry, PaymentJournal } from './payment-journal.ts';

/** A journal in a file. This process holds it until it closes it. */
export interface FileJournal extends PaymentJournal {
  close(): Promise<void>;
}

export interface FileJournalOptions {
  /** How long to wait while another process holds the journal, ms. Default 10,000. */
  readonly lockTimeoutMs?: number;
}

const LOCK_TIMEOUT_MS = 10_000;
/** Only its owner can read what was bought where. */
const MODE = 0o600;

/**
 * Opens a payment journal: a file of JSON lines that is only appended to. Each payment is on disk before it leaves. A
 * line that a crash cut short was never acted on, and is removed. One process at a time holds a journal, because two
 * would not know of each other's spending.
 *
 * @example
 * ```ts
 * import { createPayingFetch, parseAccount } from '@avm402/client';
 * import { openFileJournal } from '@avm402/client/file-journal';
 *
 * const journal = await openFileJournal('payments.jsonl');
 * const fetchPaid = createPayingFetch({ account: parseAccount('… 25 words …'), spend: { perDay: '$5' }, journal });
 * await fetchPaid('http://127.0.0.1:4021/weather');
 * await journal.close();
 * ```
 *
 * @throws X402Error `journal_locked`, `journal_corrupt` (names the line), `journal_unavailable`
 */
export async function openFileJournal(path: string, options: FileJournalOptions = {}): Promise<FileJournal> {
  const { lockTimeoutMs = LOCK_TIMEOUT_MS } = options;
  const file = resolve(path);
  const lock = await lockFile(`${file}.lock`, lockTimeoutMs);
  try {
    const { length } = parseLines(file, await contents(file));
    const handle = await available(file, () => openToAppend(file, length));
    return journal(file, handle, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Opens a file cut to this length. */
async function openToAppend(file: string, length: number): Promise<FileHandle> {
  const handle = await open(file, 'a', MODE);
  try {
    await handle.truncate(length);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function journal(file: string, handle: FileHandle, lock: FileLock): FileJournal {
  let queue: string[] = [];
  let writing: Promise<void> | undefined;
  const takeQueue = (): string[] => {
    const lines = queue;
    queue = [];
    writing = undefined;
    return lines;
  };
  const write = async (): Promise<void> => {
    // Entries that are appended meanwhile share the next write.
    await handle.appendFile(takeQueue().join(''));
    await handle.datasync();
  };
  // After a failure the end of the file is unknown: nothing is written after it.
  const refuse = (failure: unknown): never => {
    takeQueue();
    throw failure;
  };
  let last: Promise<void> = Promise.resolve();
  return {
    async read() {
      await last.catch(() => {});
      return parseLines(file, await contents(file)).entries;
    },
    append(entry) {
      queue.push(encodeEntry(entry));
      writing ??= last = last.then(write, refuse);
      return available(file, () => last);
    },
    async close() {
      await last.catch(() => {});
      await handle.close();
      await lock.release();
    },
  };
}

async function contents(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    if (isErrorWithCode(cause, 'ENOENT')) return Buffer.alloc(0);
    throw unavailable(file, cause);
  }
}

/** The entries, and the length of the file without an incomplete last line. */
function parseLines(file: string, bytes: Buffer): { entries: JournalEntry[]; length: number } {
  const length = bytes.lastIndexOf(0x0a) + 1;
  const lines = bytes.subarray(0, length).toString('utf8').split('\n').slice(0, -1);
  const entries = lines.map((line, index) => {
    const entry = parseEntry(line);
    if (entry) return entry;
    throw new X402Error('journal_corrupt', {
      message: `line ${index + 1} of ${file} is not an entry of a payment journal`,
    });
  });
  return { entries, length };
}

async function available<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw unavailable(file, cause);
  }
}

function unavailable(file: string, cause: unknown): X402Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new X402Error('journal_unavailable', { message: `the payment journal ${file} cannot be used: ${why}`, cause });
}

function isErrorWithCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
