import { randomUUID } from 'node:crypto';
import { link, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { X402Error } from '@avm402/core/errors';
import { sleep } from '../http/sleep.ts';
import { hasCode } from './usable-file.ts';

export interface FileLock {
  /** @throws X402Error `journal_locked` if the lock was taken away meanwhile */
  release(): Promise<void>;
}

const PAUSE_MS = 50;
/** Longer than the time between reading a dead lock and removing it. */
const CONTEST_MS = 200;
/** Resolution of the usual file systems' clocks. */
const CLOCK_STEP_MS = 100;

/** The locks that are held here: by their age they may look like those of an earlier process if the clock is set. */
const held = new Set<string>();

/**
 * Takes a lock: a file that holds `host pid id`. The lock of a process that has died is taken over. A lock that names
 * no process is not, because nobody knows who left it.
 * @throws X402Error `journal_locked` when the time is over, `journal_unavailable`
 */
export async function lockFile(path: string, timeoutMs: number): Promise<FileLock> {
  const deadline = Date.now() + timeoutMs;
  for (let wasDead = false; ;) {
    const mine = await tryLock(path);
    if (mine !== undefined && (!wasDead || (await isUncontested(path, mine)))) {
      return { release: () => release(path, mine) };
    }
    const holder = await readHolder(path);
    if (holder !== undefined && (await isDead(path, holder))) {
      wasDead = true;
      await takeAway(path, holder);
    } else if (Date.now() >= deadline) {
      const why = holder
        ? `${path} is held by process ${holder.pid} on ${holder.host}`
        : `${path} names no process; if none uses the journal, remove it`;
      throw new X402Error('journal_locked', { message: why });
    } else await sleep(PAUSE_MS);
  }
}

/** Two processes may have found the same dead lock, and the slower one may have removed the faster one's new lock. */
async function isUncontested(path: string, mine: string): Promise<boolean> {
  await sleep(CONTEST_MS);
  return (await readHolder(path))?.text === mine;
}

interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly text: string;
}

/** Links a complete file into place, so that no lock is ever seen without its holder. Resolves to its text. */
async function tryLock(path: string): Promise<string | undefined> {
  const id = randomUUID();
  const draft = `${path}.${id}`;
  const text = `${hostname()} ${process.pid} ${id}\n`;
  try {
    await writeFile(draft, text, { mode: 0o600 });
    await link(draft, path);
    held.add(text);
    return text;
  } catch (cause) {
    if (hasCode(cause, 'EEXIST')) return undefined;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new X402Error('journal_unavailable', { message: `can't lock ${path}: ${why}`, cause });
  } finally {
    await rm(draft, { force: true });
  }
}

async function readHolder(path: string): Promise<Holder | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const { host, pid } = /^(?<host>\S+) (?<pid>\d+) \S+\n$/.exec(text)?.groups ?? {};
  return host === undefined || pid === undefined ? undefined : { host, pid: Number(pid), text };
}

async function isDead(path: string, { host, pid, text }: Holder): Promise<boolean> {
  if (host !== hostname() || held.has(text)) return false;
  if (pid === process.pid) return isOlderThanThisProcess(path);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return hasCode(error, 'ESRCH');
  }
}

/**
 * Whether a lock is older than this process. If both have the same process id, the lock's process is dead: in a
 * container, the program gets the same id at every start.
 */
async function isOlderThanThisProcess(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
  return mtimeMs < Date.now() - process.uptime() * 1000 - CLOCK_STEP_MS;
}

/** Removes the lock of a dead process, unless another process was faster and holds it now. */
async function takeAway(path: string, dead: Holder): Promise<void> {
  const holder = await readHolder(path);
  if (holder?.text === dead.text) await unlink(path).catch(() => {});
}

/** @throws X402Error `journal_locked`, and leaves the lock alone, if it is no longer this process's */
async function release(path: string, mine: string): Promise<void> {
  held.delete(mine);
  const holder = await readHolder(path);
  if (holder?.text === mine) return unlink(path);
  const message = `${path} was taken away: another process may have spent from the same budgets`;
  throw new X402Error('journal_locked', { message });
}
