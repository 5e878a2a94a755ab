import { randomUUID } from 'node:crypto';
import { link, readFile, readlink, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { X402Error } from '@avm402/core/errors';
import { sleep } from '../http/waiting.ts';
import { hasCode, unless, usable } from './usable-file.ts';

export interface FileLock {
  /**
   * Looks for the lock if this process has stood still for so long that it may have been taken for dead.
   * @throws X402Error `journal_locked` if the lock was taken away meanwhile
   */
  assertHeld(): Promise<void>;
  /** @throws X402Error `journal_locked` if the lock was taken away meanwhile */
  release(): Promise<void>;
}

export interface LockOptions {
  /** How long to wait while another process holds the lock, ms. */
  readonly timeoutMs: number;
  /** Time between two signs of life of a lock, ms. Default 2,000. */
  readonly beatMs?: number;
  /** Where the numbers of processes mean what they do here. Default: as the system says. */
  readonly place?: string;
}

const BEAT_MS = 2_000;
/** Signs of life after whose absence a lock is taken for dead by those who can't see its process. */
const MISSED_BEATS = 4;

const PAUSE_MS = 50;
/** Time that two looks at a lock may be apart on a busy machine. */
const SLOW_LOOK_MS = 4 * PAUSE_MS;
/** Longer than the time between reading a dead lock and removing it. */
const CONTEST_MS = 200;
/** Resolution of the usual file systems' clocks. */
const CLOCK_STEP_MS = 100;

/** The locks that are held here: by their age they may look like those of an earlier process if the clock is set. */
const held = new Set<string>();

/**
 * Takes a lock: a file that holds `host pid id@place`. The lock of a process that has died is taken over. If the process
 * can't be seen from here, because it is in another container or of another boot, it counts as dead once its lock gives
 * no sign of life. A lock that names no process is not taken over, because nobody knows who left it.
 * @throws X402Error `journal_locked` when the time is over, `journal_unavailable`
 */
export async function lockFile(path: string, { timeoutMs, ...options }: LockOptions): Promise<FileLock> {
  const { beatMs = BEAT_MS, place = await placeOfProcesses() } = options;
  const deadline = performance.now() + timeoutMs;
  const watch = new LockWatch(path, MISSED_BEATS * beatMs);
  for (let wasDead = false; ;) {
    const mine = await tryLock(path, place);
    if (mine !== undefined && (!wasDead || (await isUncontested(path, mine)))) return new HeldLock(path, mine, beatMs);
    const holder = await readHolder(path);
    if (holder !== undefined && (await isDead(path, holder, { place, watch }))) {
      wasDead = true;
      await takeAway(path, holder);
    } else if (performance.now() >= deadline && !watch.isUndecided(holder)) {
      const why = holder
        ? `${path} is held by process ${holder.pid} on ${holder.host}`
        : `${path} names no process; if none uses the journal, remove it`;
      throw new X402Error('journal_locked', { message: why });
    } else await sleep(PAUSE_MS);
  }
}

/**
 * Where the numbers of processes mean what they do here: this boot of the machine, and this namespace of processes, as a
 * container has its own. `/` where the system names neither.
 */
async function placeOfProcesses(): Promise<string> {
  const named = [readFile('/proc/sys/kernel/random/boot_id', 'utf8'), readlink('/proc/self/ns/pid')];
  const names = await Promise.all(named.map((name) => name.catch(() => '')));
  return names.map((name) => name.trim()).join('/');
}

/** A lock that this process holds. It gives signs of life. */
class HeldLock implements FileLock {
  readonly #path: string;
  readonly #text: string;
  readonly #beatMs: number;
  readonly #timer: NodeJS.Timeout;
  /** When the lock was last seen to be this process's. */
  #seenAt = performance.now();

  constructor(path: string, text: string, beatMs: number) {
    this.#path = path;
    this.#text = text;
    this.#beatMs = beatMs;
    this.#timer = setInterval(() => void this.#beat().catch(() => {}), beatMs);
    this.#timer.unref();
  }

  async assertHeld(): Promise<void> {
    if (performance.now() - this.#seenAt > 2 * this.#beatMs) await this.#look();
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    held.delete(this.#text);
    await this.#look();
    await unlink(this.#path);
  }

  async #beat(): Promise<void> {
    const at = performance.now();
    await this.#look();
    await utimes(this.#path, new Date(), new Date());
    this.#seenAt = at;
  }

  /** @throws X402Error `journal_locked`, and leaves the lock alone, if it is no longer this process's */
  async #look(): Promise<void> {
    if ((await readHolder(this.#path))?.text === this.#text) return;
    const message = `${this.#path} was taken away: another process may have spent from the same budgets`;
    throw new X402Error('journal_locked', { message });
  }
}

/** Looks for signs of life of a lock, again and again. */
class LockWatch {
  readonly #path: string;
  readonly #silentMs: number;
  #seen = '';
  #since = 0;
  #looks = 0;
  #signs = 0;

  constructor(path: string, silentMs: number) {
    this.#path = path;
    this.#silentMs = silentMs;
  }

  /** Whether this holder's lock has been looked at, and has given no sign since: its process may be dead. */
  isUndecided(holder: Holder | undefined): boolean {
    return this.#signs === 1 && holder !== undefined && this.#seen.startsWith(holder.text);
  }

  /**
   * Whether the lock has given no sign for long enough. The time counts from when this process first saw so, by its own
   * clock; and it must have looked often, because time in which it stood still as well says nothing.
   */
  async isSilent(text: string): Promise<boolean> {
    const { mtimeMs } = await stat(this.#path).catch(() => ({ mtimeMs: NaN }));
    const seen = `${text}${mtimeMs}`;
    if (seen !== this.#seen) {
      [this.#seen, this.#since, this.#looks] = [seen, performance.now(), 0];
      this.#signs++;
    }
    this.#looks++;
    return this.#looks * SLOW_LOOK_MS >= this.#silentMs && performance.now() - this.#since >= this.#silentMs;
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
  /** Absent in the locks of earlier releases. */
  readonly place: string | undefined;
  readonly text: string;
}

/** Links a complete file into place, so that no lock is ever seen without its holder. Resolves to its text. */
async function tryLock(path: string, place: string): Promise<string | undefined> {
  const id = randomUUID();
  const draft = `${path}.${id}`;
  const text = `${hostname()} ${process.pid} ${id}@${place}\n`;
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
  const { host, pid, place } = /^(?<host>\S+) (?<pid>\d+) [^\s@]+(?:@(?<place>\S+))?\n$/.exec(text)?.groups ?? {};
  return host === undefined || pid === undefined ? undefined : { host, pid: Number(pid), place, text };
}

async function isDead(
  path: string,
  { host, pid, place, text }: Holder,
  here: { readonly place: string; readonly watch: LockWatch },
): Promise<boolean> {
  if (host !== hostname()) return false;
  if (place !== undefined && place !== here.place) return here.watch.isSilent(text);
  if (held.has(text)) return false;
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

/**
 * Removes the lock of a dead process, unless another process was faster and holds it now.
 * @throws X402Error `journal_unavailable` if that is not allowed here
 */
async function takeAway(path: string, dead: Holder): Promise<void> {
  const holder = await readHolder(path);
  if (holder?.text === dead.text) await usable(path, () => unless<void>('ENOENT', undefined, () => unlink(path)));
}
