import { MsgpackSource } from '../codec/msgpack-source.ts';
import { blockHeader, type Block, type BlockHeader } from '../codec/schema/block.ts';
import { transactionInBlock, type TransactionInBlock } from '../codec/schema/signed-transaction.ts';
import { ByteArena } from './byte-arena.ts';

const HASH_LENGTH = 32;

/** One block, its parts encoded, as it is handed in. */
export interface BlockParts {
  readonly hash: Uint8Array;
  readonly header: Uint8Array;
  readonly transactions: readonly { readonly txId: Uint8Array; readonly encoded: Uint8Array }[];
}

/** Where the parts of a block are among its bytes: hash, header, ids, transactions. */
interface StoredBlock {
  readonly bytes: Uint8Array;
  /** Where the header ends. */
  readonly headerEnd: number;
  /** Where each transaction ends. */
  readonly ends: readonly number[];
}

/** All blocks since round 0. They are kept encoded: a decoded one takes many times the memory. */
export class BlockStore {
  readonly #arena = new ByteArena();
  readonly #blocks: StoredBlock[] = [];

  append({ hash, header, transactions }: BlockParts): void {
    const ids = transactions.map(({ txId }) => txId);
    const bytes = Buffer.concat([hash, header, ...ids, ...transactions.map(({ encoded }) => encoded)]);
    const headerEnd = HASH_LENGTH + header.length;
    let end = headerEnd + ids.length * HASH_LENGTH;
    const ends = transactions.map(({ encoded }) => (end += encoded.length));
    this.#blocks.push({ bytes: this.#arena.keep(bytes), headerEnd, ends });
  }

  /** What was handed in; undefined if there is no such block. */
  parts(round: bigint): BlockParts | undefined {
    const stored = this.#get(round);
    if (stored === undefined) return undefined;
    const { bytes, headerEnd, ends } = stored;
    const starts = [headerEnd + ends.length * HASH_LENGTH, ...ends];
    const transactions = (this.txIds(round) ?? []).map((txId, index) => ({
      txId,
      encoded: bytes.subarray(starts[index], ends[index]),
    }));
    return { hash: bytes.subarray(0, HASH_LENGTH), header: bytes.subarray(HASH_LENGTH, headerEnd), transactions };
  }

  /** Remembers which blocks there are. What comes back takes away those appended since. */
  mark(): () => void {
    const { length } = this.#blocks;
    return () => {
      this.#blocks.length = length;
    };
  }

  has(round: bigint): boolean {
    return round < BigInt(this.#blocks.length);
  }

  hash(round: bigint): Uint8Array | undefined {
    return this.#get(round)?.bytes.subarray(0, HASH_LENGTH);
  }

  header(round: bigint): BlockHeader | undefined {
    const stored = this.#get(round);
    if (stored === undefined) return undefined;
    return blockHeader.read(new MsgpackSource(stored.bytes.subarray(HASH_LENGTH, stored.headerEnd)), blockHeader.zero);
  }

  /** The ids of a block's transactions, in its order. */
  txIds(round: bigint): Uint8Array[] | undefined {
    const stored = this.#get(round);
    return stored?.ends.map((_, index) => {
      const start = stored.headerEnd + index * HASH_LENGTH;
      return stored.bytes.subarray(start, start + HASH_LENGTH);
    });
  }

  /** A transaction as its block holds it. */
  transaction(round: bigint, index: number): TransactionInBlock | undefined {
    const stored = this.#get(round);
    const end = stored?.ends[index];
    if (stored === undefined || end === undefined) return undefined;
    const start = stored.ends[index - 1] ?? stored.headerEnd + stored.ends.length * HASH_LENGTH;
    return transactionInBlock.read(new MsgpackSource(stored.bytes.subarray(start, end)), transactionInBlock.zero);
  }

  block(round: bigint): Block | undefined {
    const header = this.header(round);
    if (header === undefined) return undefined;
    const count = this.#get(round)?.ends.length ?? 0;
    const transactions: TransactionInBlock[] = [];
    for (let index = 0; index < count; index++) {
      const transaction = this.transaction(round, index);
      if (transaction !== undefined) transactions.push(transaction);
    }
    return { ...header, transactions };
  }

  #get(round: bigint): StoredBlock | undefined {
    return this.has(round) ? this.#blocks[Number(round)] : undefined;
  }
}
