import { isAlgorandError } from '@avm402/algorand/errors';
import type { AlgodNode } from './algod-node.ts';

/** Most TxIDs kept for one node, some 20 MB: on most networks more than the blocks of the longest window have. */
const MAX_KEPT = 200_000;

/** A node says that it does not have a block: not yet, or not any more. */
export class MissingBlock extends Error {
  readonly round: bigint;

  constructor(round: bigint, options: ErrorOptions) {
    super(`algod does not have block ${round}`, options);
    this.round = round;
  }
}

interface KeptBlocks {
  /** TxIDs by round, in the order in which they were read. */
  readonly read: Map<bigint, readonly string[]>;
  readonly reading: Map<bigint, Promise<readonly string[]>>;
  /** Number of TxIDs and blocks in `read`. */
  size: number;
}

/**
 * Reads the TxIDs of a node's blocks. Each block is read once for all payments: many payments expire at the cost of
 * one, and a proof that failed because a block was missing continues where it stopped. Blocks are kept for each node
 * apart, because a proof rests on one node.
 */
export class BlockReader {
  readonly #mayChange: boolean;
  readonly #kept = new WeakMap<AlgodNode, KeptBlocks>();

  /** `mayChange`: on a development network a node's block can change, so each block is read anew. */
  constructor({ mayChange }: { readonly mayChange: boolean }) {
    this.#mayChange = mayChange;
  }

  /** @throws MissingBlock, or what algod's client throws */
  async txIds(node: AlgodNode, round: bigint): Promise<readonly string[]> {
    if (this.#mayChange) return ask(node, round);
    const kept = this.#keptOf(node);
    const known = kept.read.get(round) ?? kept.reading.get(round);
    if (known !== undefined) return known;
    const reading = read(node, round, kept);
    kept.reading.set(round, reading);
    try {
      return await reading;
    } finally {
      kept.reading.delete(round);
    }
  }

  #keptOf(node: AlgodNode): KeptBlocks {
    const known = this.#kept.get(node);
    if (known !== undefined) return known;
    const kept: KeptBlocks = { read: new Map(), reading: new Map(), size: 0 };
    this.#kept.set(node, kept);
    return kept;
  }
}

async function read(node: AlgodNode, round: bigint, kept: KeptBlocks): Promise<readonly string[]> {
  const txIds = await ask(node, round);
  kept.read.set(round, txIds);
  kept.size += txIds.length + 1;
  for (const [oldest, { length }] of kept.read) {
    if (kept.size <= MAX_KEPT) break;
    kept.read.delete(oldest);
    kept.size -= length + 1;
  }
  return txIds;
}

async function ask(node: AlgodNode, round: bigint): Promise<readonly string[]> {
  try {
    return await node.client.blockTransactionIds(round);
  } catch (error) {
    if (!isAlgorandError(error, 'algod_refused') || error.status !== 404) throw error;
    throw new MissingBlock(round, { cause: error });
  }
}
