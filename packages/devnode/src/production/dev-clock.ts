import { MAX_INT64 } from '../codec/integer.ts';
import { DevnodeError } from '../errors.ts';
import type { TimestampClock } from '../block/timestamp.ts';

/** Where timestamps come from: the wall clock, or once an offset is set, always the block before and the offset. */
export class DevClock {
  readonly #now: () => number;
  readonly #devMode: boolean;
  #offset: bigint | undefined;

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

  read(): TimestampClock {
    return { offset: this.#offset, now: BigInt(Math.floor(this.#now() / 1000)) };
  }
}
