import { MAX_INT64 } from '../codec/integer.ts';
import { DevnodeError } from '../errors.ts';
import type { TimestampClock } from '../block/timestamp.ts';

/** The last second of the year 9999. */
const MAX_TIMESTAMP = 253_402_300_799n;

/**
 * Where timestamps come from: the wall clock, moved as the developer likes; or once an offset is set, always the block
 * before and the offset.
 */
export class DevClock {
  readonly #now: () => number;
  readonly #devMode: boolean;
  #offset: bigint | undefined;
  /** Seconds by which this clock is ahead of the wall clock. */
  #ahead = 0n;
  /** The next block's timestamp, where the time was set since the last. */
  #next: bigint | undefined;

  constructor({ now, devMode }: { readonly now: () => number; readonly devMode: boolean }) {
    this.#now = now;
    this.#devMode = devMode;
  }

  /** Seconds between blocks. Throws 404 while unset, 400 outside dev mode. */
  get offset(): bigint {
    const prefix = 'failed retrieving timestamp offset from node:';
    if (!this.#devMode) {
      throw new DevnodeError('refused', `${prefix} cannot get block timestamp offset because we are not in dev mode`);
    }
    if (this.#offset !== undefined) return this.#offset;
    const problem = `${prefix} block timestamp offset was never set, using real clock for timestamps`;
    throw new DevnodeError('not_found', problem, { status: 404 });
  }

  set offset(seconds: bigint) {
    const prefix = 'failed to set timestamp offset on the node:';
    if (!this.#devMode) {
      throw new DevnodeError('refused', `${prefix} cannot set block timestamp offset when not in dev mode`);
    }
    if (seconds > MAX_INT64) {
      throw new DevnodeError('refused', `${prefix} block timestamp offset cannot be larger than max int64 value`);
    }
    this.#offset = seconds;
  }

  /** The offset as it is set; undefined while the wall clock counts. */
  get setting(): bigint | undefined {
    return this.#offset;
  }

  /** Takes over a setting that another node had. */
  restore(setting: bigint | undefined): void {
    this.#offset = setting;
  }

  /** Seconds by which the time was moved forward (or, where negative, back). */
  get ahead(): bigint {
    return this.#ahead;
  }

  /**
   * Sets the next block's timestamp, in seconds since 1970; the clock goes on from there.
   * @throws DevnodeError `refused` before the latest block's, and after the year 9999
   */
  setTime(timestamp: bigint, latest: bigint): void {
    if (timestamp < latest || timestamp > MAX_TIMESTAMP) {
      const range = `from the latest block’s ${latest} to ${MAX_TIMESTAMP}`;
      throw new DevnodeError('refused', `a time is in seconds since 1970, ${range}, not ${timestamp}`);
    }
    this.#ahead = timestamp - this.#wallTime();
    this.#next = timestamp;
  }

  /**
   * Moves the next block's timestamp on by some seconds, and the clock with it; gives that timestamp.
   * @throws DevnodeError `refused` after the year 9999
   */
  increaseTime(seconds: bigint, latest: bigint): bigint {
    const { now, offset, next } = this.read();
    const upcoming = next ?? (offset === undefined ? (now > latest ? now : latest) : latest + offset);
    this.setTime(upcoming + seconds, latest);
    return upcoming + seconds;
  }

  read(): TimestampClock {
    return { offset: this.#offset, now: this.#wallTime() + this.#ahead, next: this.#next };
  }

  /** A block has got the timestamp that was set. */
  blockMade(): void {
    this.#next = undefined;
  }

  /** Remembers what was set. What comes back sets it again. */
  mark(): () => void {
    const [offset, ahead, next] = [this.#offset, this.#ahead, this.#next];
    return () => {
      this.#offset = offset;
      this.#ahead = ahead;
      this.#next = next;
    };
  }

  #wallTime(): bigint {
    return BigInt(Math.floor(this.#now() / 1000));
  }
}
