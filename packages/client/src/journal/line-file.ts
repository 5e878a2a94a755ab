import { open, readFile, realpath, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import { X402Error } from '@avm402/core/errors';
import { lockFile, type FileLock } from './file-lock.ts';
import { unless, usable } from './usable-file.ts';

/** A file of lines that is only appended to. This process holds it until `close`. */
export interface LineFile<T> {
  /** Where it is, behind any links. */
  readonly path: string;
  /** Everything that was ever appended, in order. */
  read(): Promise<readonly T[]>;
  /** Resolves when the line would survive a crash. */
  append(entry: T): Promise<void>;
  close(): Promise<void>;
}

export interface LineFileOptions {
  /**
   * How long to wait while another process holds the file, ms. Default 10,000. One that was killed in another container,
   * or by a reboot, counts as dead after 8,000: a lock that gives no sign of life is waited for that long in any case.
   */
  readonly lockTimeoutMs?: number;
}

export interface LineFormat<T> {
  /** The kind of file, for messages. */
  readonly name: string;
  /** One line, with its end. */
  readonly encode: (entry: T) => string;
  /** Reads a line, given without its line end; undefined if it is not an entry. */
  readonly parse: (line: string) => T | undefined;
}

const LOCK_TIMEOUT_MS = 10_000;
/** Only its owner can read the file: it tells what was bought where, and may hold the keys of channels. */
const MODE = 0o600;
const OF_OTHERS = 0o077;

/**
 * Opens a file of lines. A line that a crash cut short was never acted on, and is removed.
 * @throws X402Error `journal_locked`, `journal_corrupt` (names the line), `journal_unavailable`, `invalid_spend_options`
 */
export async function openLineFile<T>(
  path: string,
  format: LineFormat<T>,
  options: LineFileOptions,
): Promise<LineFile<T>> {
  if (Object(options) !== options) {
    throw new X402Error('invalid_spend_options', { message: `the options of a ${format.name} must be an object` });
  }
  const { lockTimeoutMs = LOCK_TIMEOUT_MS } = options;
  const file = await usable(path, () => fileAt(path));
  const lock = await lockFile(`${file}.lock`, { timeoutMs: lockTimeoutMs });
  try {
    const { length } = parseLines(file, format, await contents(file));
    const handle = await usable(file, () => openToAppend(file, length));
    return lineFile({ file, format }, { handle, length, lock });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Reads a file of lines without holding it; another process may be appending to it.
 * @throws X402Error `journal_corrupt`, `journal_unavailable`
 */
export async function readLineFile<T>(path: string, format: LineFormat<T>): Promise<readonly T[]> {
  const file = await usable(path, async () => resolve(path));
  return parseLines(file, format, await contents(file)).entries;
}

/** The file behind any links, which is made if there is none: whoever opens it by whatever name takes the same lock. */
async function fileAt(path: string): Promise<string> {
  const file = resolve(path);
  await (await open(file, 'a', MODE)).close();
  return realpath(file);
}

interface Named<T> {
  readonly file: string;
  readonly format: LineFormat<T>;
}

/** Opens a file cut to this length. */
async function openToAppend(file: string, length: number): Promise<FileHandle> {
  const handle = await open(file, 'a', MODE);
  try {
    // First, because a device, which others need, has no length and is refused here.
    await handle.truncate(length);
    // A file that came from elsewhere, such as a backup, may be open to others.
    if (((await handle.stat()).mode & OF_OTHERS) !== 0) await handle.chmod(MODE);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface HeldFile {
  readonly handle: FileHandle;
  /** Bytes of all lines that are in it. */
  readonly length: number;
  readonly lock: FileLock;
}

function lineFile<T>({ file, format }: Named<T>, { handle, length: found, lock }: HeldFile): LineFile<T> {
  let length = found;
  /** Whether a write that failed may have left something behind the last line. */
  let isTorn = false;
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
    const lines = Buffer.from(takeQueue().join(''));
    await lock.assertHeld();
    if (isTorn) await handle.truncate(length);
    isTorn = true;
    await handle.appendFile(lines);
    await handle.datasync();
    isTorn = false;
    length += lines.length;
  };
  let last: Promise<void> = Promise.resolve();
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await last.catch(() => {});
    await handle.close();
    await lock.release();
  };
  return {
    path: file,
    async read() {
      await last.catch(() => {});
      return parseLines(file, format, await contents(file)).entries;
    },
    append(entry) {
      queue.push(format.encode(entry));
      writing ??= last = last.then(write, write);
      return usable(file, () => last);
    },
    close: () => (closing ??= close()),
  };
}

function contents(file: string): Promise<Buffer> {
  return usable(file, () => unless<Buffer>('ENOENT', Buffer.alloc(0), () => readFile(file)));
}

/** The entries, and the length of the file without an incomplete last line. */
function parseLines<T>(file: string, format: LineFormat<T>, bytes: Buffer): { entries: T[]; length: number } {
  const length = bytes.lastIndexOf(0x0a) + 1;
  const entries: T[] = [];
  // Line by line, because no text can be as long as a file.
  for (let start = 0, end; start < length; start = end + 1) {
    end = bytes.indexOf(0x0a, start);
    const entry = format.parse(bytes.toString('utf8', start, end));
    if (entry === undefined) {
      const message = `line ${entries.length + 1} of ${file} is not an entry of a ${format.name}`;
      throw new X402Error('journal_corrupt', { message });
    }
    entries.push(entry);
  }
  return { entries, length };
}
