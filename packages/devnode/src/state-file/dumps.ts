import type { Chain, Lookback } from '../ledger/chain.ts';
import type { BlockProducer } from '../production/block-producer.ts';
import type { DevClock } from '../production/dev-clock.ts';
import { nodeRecords, stateFile } from './dump-node.ts';
import { bytesSource } from './frames.ts';
import { loadNode } from './load-node.ts';

export interface DumpsOptions {
  readonly chain: Chain;
  readonly clock: DevClock;
  readonly blocks: BlockProducer;
  readonly lookback: Lookback;
}

/** Writes and loads the state of a running node as a file. */
export class Dumps {
  readonly #options: DumpsOptions;

  constructor(options: DumpsOptions) {
    this.#options = options;
  }

  /** Writes the state: accounts, assets, the blocks that are kept, leases, clock. The pool is not in it. */
  dump(): Uint8Array {
    const { chain, clock } = this.#options;
    return Buffer.concat([...stateFile(nodeRecords({ chain, clock: clock.setting }))]);
  }

  /**
   * Continues from the state in the file; evaluates the pool again.
   * @throws DevnodeError `invalid_state_file`, `damaged_state_file`, `shutting_down`; the node is then unchanged
   */
  load(file: Uint8Array): void {
    const { chain, clock, blocks, lookback } = this.#options;
    const loaded = loadNode(bytesSource('the state file', file), { lookback, genesis: chain.genesis });
    blocks.jump(() => {
      chain.adopt(loaded.chain);
      clock.restore(loaded.clock);
    });
  }
}
