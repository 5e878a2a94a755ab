import { decodeMsgpack } from '../codec/decode.ts';
import { blockHeader, type Block, type BlockHeader } from '../codec/schema/block.ts';
import { transactionInBlock, type TransactionInBlock } from '../codec/schema/signed-transaction.ts';
import { ByteArena } from './byte-arena.ts';

const HASH_LENGTH = 32;

/** A block as it is handed in, its parts encoded. */
export interface BlockParts {
  readonly hash: Uint8Array;
  readonly header: Uint8Array;
  readonly transactions: readonly { readonly txId: Uint8Array; readonly encoded: Uint8Array }[];
}

/** The positions of a block's parts among its bytes: hash, header, ids, transactions. */
interface StoredBlock {
  readonly bytes: Uint8Array;
  /** The end of the header. */
  readonly headerEnd: number;
  /** The end of each transaction. */
  readonly ends: readonly number[];
}

/** Old blocks are dropped this many at a time, because dropping copies the list of the others. */
const GO_TOGETHER = 1000;

/** The last blocks, or all. They are kept encoded, because a decoded block takes many times the memory. */
export class BlockStore {
  readonly #arena = new ByteArena();
  readonly #depth: number;
  /** The blocks from round `#first` on. */
  #blocks: StoredBlock[] = [];
  #first = 0;
  /** How many blocks of the list a mark may return to. */
  #marked = 0;

  /** `depth`: how many blocks before the latest are kept. */
  constructor(depth: number) {
    this.#depth = depth;
  }

  /** The round of the oldest block; 0 while all are kept. */
  get oldest(): bigint {
    return BigInt(Math.max(this.#first, this.#next - 1 - this.#depth));
  }

  /** Starts over: the next block is that of `round`. */
  beginAt(round: bigint): void {
    this.#blocks = [];
    this.#first = Number(round);
    this.#marked = 0;
  }

  append({ hash, header, transactions }: BlockParts): void {
    const ids = transactions.map(({ txId }) => txId);
    const bytes = Buffer.concat([hash, header, ...ids, ...transactions.map(({ encoded }) => encoded)]);
    const headerEnd = HASH_LENGTH + header.length;
    let end = headerEnd + ids.length * HASH_LENGTH;
    const ends = transactions.map(({ encoded }) => (end += encoded.length));
    this.#blocks.push({ bytes: this.#arena.keep(bytes), headerEnd, ends });
    if (this.#blocks.length > this.#depth + GO_TOGETHER) this.#letGo();
  }

  /** The block as it was handed in; undefined if it is not kept. */
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

  /** Remembers the present blocks. The returned function removes those appended since. */
  mark(): () => void {
    const [blocks, first] = [this.#blocks, this.#first];
    const { length } = blocks;
    this.#marked = length;
    return () => {
      blocks.length = length;
      this.#blocks = blocks;
      this.#first = first;
      this.#marked = length;
    };
  }

  hash(round: bigint): Uint8Array | undefined {
    return this.#get(round)?.bytes.subarray(0, HASH_LENGTH);
  }

  header(round: bigint): BlockHeader | undefined {
    const stored = this.#get(round);
    if (stored === undefined) return undefined;
    return decodeMsgpack(blockHeader, stored.bytes.subarray(HASH_LENGTH, stored.headerEnd));
  }

  /** The ids of a block's transactions, in its order. */
  txIds(round: bigint): Uint8Array[] | undefined {
    const stored = this.#get(round);
    return stored?.ends.map((_, index) => idAt(stored, index));
  }

  /** The id of one of a block's transactions. */
  txId(round: bigint, index: number): Uint8Array | undefined {
    const stored = this.#get(round);
    return stored !== undefined && index < stored.ends.length ? idAt(stored, index) : undefined;
  }

  /** A transaction as its block holds it. */
  transaction(round: bigint, index: number): TransactionInBlock | undefined {
    const stored = this.#get(round);
    const end = stored?.ends[index];
    if (stored === undefined || end === undefined) return undefined;
    const start = stored.ends[index - 1] ?? stored.headerEnd + stored.ends.length * HASH_LENGTH;
    return decodeMsgpack(transactionInBlock, stored.bytes.subarray(start, end));
  }

  block(round: bigint): Block | undefined {
    const header = this.header(round);
    if (header === undefined) return undefined;
    const ends = this.#get(round)?.ends ?? [];
    return { ...header, transactions: ends.flatMap((_, index) => this.transaction(round, index) ?? []) };
  }

  /** The round after the latest. */
  get #next(): number {
    return this.#first + this.#blocks.length;
  }

  #get(round: bigint): StoredBlock | undefined {
    return round >= this.oldest ? this.#blocks[Number(round) - this.#first] : undefined;
  }

  /** Continues with a new list of the kept blocks. The old list stays with its marks, as long as they need it. */
  #letGo(): void {
    const before = this.#blocks;
    this.#blocks = before.slice(-1 - this.#depth);
    this.#first += before.length - this.#blocks.length;
    before.length = this.#marked;
    this.#marked = 0;
  }
}

function idAt({ bytes, headerEnd }: StoredBlock, index: number): Uint8Array {
  const start = headerEnd + index * HASH_LENGTH;
  return bytes.subarray(start, start + HASH_LENGTH);
}
