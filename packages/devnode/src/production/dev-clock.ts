import { MAX_INT64 } from '../codec/integer.ts';
import { notFound, refused } from '../errors.ts';
import type { TimestampClock } from '../block/timestamp.ts';

/** The last second of the year 9999. */
const MAX_TIMESTAMP = 253_402_300_799n;

/** The settings that a developer has made. */
export interface ClockSetting {
  /** Fixed seconds between blocks; undefined: blocks follow the time. */
  readonly offset: bigint | undefined;
  /** Seconds by which the clock is ahead of the wall clock; if negative, behind it. */
  readonly ahead: bigint;
  /** The next block's timestamp, if the time was set since the last block. */
  readonly next: bigint | undefined;
  /** Whether only a developer makes blocks. */
  readonly paused: boolean;
}

export const WALL_CLOCK: ClockSetting = { offset: undefined, ahead: 0n, next: undefined, paused: false };

/**
 * The source of timestamps: the wall clock, moved as the developer likes; or once an offset is set, the timestamp of
 * the block before plus the offset.
 */
export class DevClock {
  readonly #now: () => number;
  readonly #devMode: boolean;
  readonly #listeners: ((setting: ClockSetting) => void)[] = [];
  #setting: ClockSetting = WALL_CLOCK;

  constructor({ now, devMode }: { readonly now: () => number; readonly devMode: boolean }) {
    this.#now = now;
    this.#devMode = devMode;
  }

  /**
   * Seconds between blocks.
   * @throws 404 while unset, 400 outside dev mode
   */
  get offset(): bigint {
    const prefix = 'failed retrieving timestamp offset from node:';
    if (!this.#devMode) throw refused(`${prefix} cannot get block timestamp offset because we are not in dev mode`);
    const { offset } = this.#setting;
    if (offset !== undefined) return offset;
    throw notFound(`${prefix} block timestamp offset was never set, using real clock for timestamps`);
  }

  set offset(seconds: bigint) {
    const prefix = 'failed to set timestamp offset on the node:';
    if (!this.#devMode) throw refused(`${prefix} cannot set block timestamp offset when not in dev mode`);
    if (seconds > MAX_INT64) throw refused(`${prefix} block timestamp offset cannot be larger than max int64 value`);
    this.#set({ ...this.#setting, offset: seconds });
  }

  get paused(): boolean {
    return this.#setting.paused;
  }

  set paused(paused: boolean) {
    this.#set({ ...this.#setting, paused });
  }

  /** Calls the listener with each setting that a developer makes. */
  onSet(listener: (setting: ClockSetting) => void): void {
    this.#listeners.push(listener);
  }

  get setting(): ClockSetting {
    return this.#setting;
  }

  /** Takes over the setting of another node. */
  restore(setting: ClockSetting): void {
    this.#setting = setting;
  }

  /**
   * Sets the next block's timestamp, in seconds since 1970; the clock continues from it.
   * @throws DevnodeError `refused` if it is before the latest block's, or after the year 9999
   */
  setTime(timestamp: bigint, latest: bigint): void {
    if (timestamp < latest || timestamp > MAX_TIMESTAMP) {
      const range = `from the latest block’s ${latest} to ${MAX_TIMESTAMP}`;
      throw refused(`the time must be in seconds since 1970, ${range}, not ${timestamp}`);
    }
    this.#set({ ...this.#setting, ahead: timestamp - this.#wallTime(), next: timestamp });
  }

  /**
   * Moves the next block's timestamp and the clock forward by some seconds; gives that timestamp.
   * @throws DevnodeError `refused` if it is after the year 9999
   */
  increaseTime(seconds: bigint, latest: bigint): bigint {
    const { now, offset, next } = this.read();
    const upcoming = next ?? (offset === undefined ? (now > latest ? now : latest) : latest + offset);
    this.setTime(upcoming + seconds, latest);
    return upcoming + seconds;
  }

  read(): TimestampClock {
    const { offset, ahead, next } = this.#setting;
    return { offset, now: this.#wallTime() + ahead, next };
  }

  /** Call it when a block has received the timestamp that was set. */
  blockMade(): void {
    if (this.#setting.next !== undefined) this.#setting = { ...this.#setting, next: undefined };
  }

  mark(): () => void {
    const setting = this.#setting;
    return () => this.restore(setting);
  }

  #set(setting: ClockSetting): void {
    this.#setting = setting;
    for (const listener of this.#listeners) listener(setting);
  }

  #wallTime(): bigint {
    return BigInt(Math.floor(this.#now() / 1000));
  }
}
