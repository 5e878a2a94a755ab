import { setImmediate as otherEvents } from 'node:timers/promises';
import type { ConsensusParameters } from '../consensus/parameters.ts';
import { DevnodeError } from '../errors.ts';
import type { BlockProducer } from '../production/block-producer.ts';
import type { DevClock } from '../production/dev-clock.ts';
import { addressKey } from '../transaction/address-key.ts';
import { deal, fund } from './give.ts';

/** Rounds that are mined before other events have their turn. */
const ROUNDS_AT_ONCE = 100;

export interface ControlsOptions {
  readonly blocks: BlockProducer;
  readonly clock: DevClock;
  readonly parameters: ConsensusParameters;
}

/** What a developer may do that no real node does. */
export class Controls {
  readonly #options: ControlsOptions;

  constructor(options: ControlsOptions) {
    this.#options = options;
  }

  /**
   * Makes blocks of what is in the pool, the later ones empty.
   * @throws DevnodeError `refused`, `shutting_down`
   */
  async mine(rounds = 1): Promise<void> {
    if (!Number.isSafeInteger(rounds) || rounds < 1) {
      throw new DevnodeError('refused', `the number of rounds to mine is a whole number from 1, not ${rounds}`);
    }
    for (let made = 1; made <= rounds; made++) {
      this.#options.blocks.makeBlock();
      if (made % ROUNDS_AT_ONCE === 0) await otherEvents();
    }
  }

  /**
   * Gives µAlgo out of nothing, in a block of its own that holds no transaction.
   * @throws DevnodeError `refused`, `shutting_down`
   */
  async fund(address: Uint8Array, microAlgos: bigint): Promise<void> {
    this.#options.blocks.makeBlockWith((state) => fund(state, addressKey(address), microAlgos));
  }

  /**
   * Gives units of any asset, opting the account in and lifting its balance to the new minimum if need be.
   * @throws DevnodeError `refused`, `shutting_down`
   */
  async deal(address: Uint8Array, assetId: bigint, amount: bigint): Promise<void> {
    const { blocks, parameters } = this.#options;
    blocks.makeBlockWith((state) => deal(state, { owner: addressKey(address), assetId, amount, parameters }));
  }

  /**
   * Seconds between a block's timestamp and the one before.
   * @throws DevnodeError 404 when it was never set, 400 outside dev mode
   */
  timestampOffset(): bigint {
    return this.#options.clock.offset;
  }

  /** @throws DevnodeError 400 beyond 2^63 - 1 or outside dev mode */
  setTimestampOffset(seconds: bigint): void {
    this.#options.clock.offset = seconds;
  }
}
