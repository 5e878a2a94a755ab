import { MsgpackSource } from '../codec/msgpack-source.ts';
import { block as blockSchema, type Block } from '../codec/schema/block.ts';

const ID_LENGTH = 32;

/** One block as it is kept: encoded, with what is asked for most. */
export interface StoredBlock {
  /** The block in msgpack, without certificate. */
  readonly bytes: Uint8Array;
  readonly hash: Uint8Array;
  /** The ids of its transactions one after another. */
  readonly txIds: Uint8Array;
}

/** All blocks since round 0. They are kept encoded: a decoded one takes many times the memory. */
export class BlockStore {
  readonly #blocks: StoredBlock[] = [];

  append(block: StoredBlock): void {
    this.#blocks.push(block);
  }

  get(round: bigint): StoredBlock | undefined {
    return round < BigInt(this.#blocks.length) ? this.#blocks[Number(round)] : undefined;
  }
}

export function decodeBlock({ bytes }: StoredBlock): Block {
  return blockSchema.read(new MsgpackSource(bytes), blockSchema.zero);
}

/** The ids of a block's transactions, in its order. */
export function txIdsOf({ txIds }: StoredBlock): Uint8Array[] {
  return Array.from({ length: txIds.length / ID_LENGTH }, (_, index) =>
    txIds.subarray(index * ID_LENGTH, (index + 1) * ID_LENGTH),
  );
}
