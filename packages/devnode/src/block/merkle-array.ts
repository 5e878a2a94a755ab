import { sha256, sha512, sha512_256 } from '@avm402/algorand/hash';

const LEAF_PREFIX = Buffer.from('TL');
const IN_BLOCK_PREFIX = Buffer.from('STIB');
const INNER_PREFIX = Buffer.from('MA');
const EMPTY_LEAF = Buffer.from('MB');

/** The root of an array without leaves; a vector always has at least the empty one. */
const NO_ROOT = new Uint8Array(32);

type Hash = (bytes: Uint8Array) => Uint8Array;

/** A transaction of a block, as the block's commitments see it. */
export interface CommittedTransaction {
  /** `TX` and the canonical transaction. */
  readonly message: Uint8Array;
  /** SHA-512/256 of the message. */
  readonly txId: Uint8Array;
  /** The transaction as the block holds it. */
  readonly encoded: Uint8Array;
}

export interface MerklePath {
  readonly treeDepth: number;
  /** Siblings from leaf to root; zero bytes for a missing one. */
  readonly siblings: Uint8Array;
}

/** Roots over the transactions of a block (go-algorand data/bookkeeping/txn_merkle.go). */
export interface Commitments {
  readonly root: Uint8Array;
  readonly root256: Uint8Array;
  readonly root512: Uint8Array;
}

/** Those of the many blocks that are empty, as on the way to an expiry. */
const OF_NONE = rootsOf([]);

export function commitmentsOf(transactions: readonly CommittedTransaction[]): Commitments {
  return transactions.length === 0 ? OF_NONE : rootsOf(transactions);
}

function rootsOf(transactions: readonly CommittedTransaction[]): Commitments {
  const inputs = vectorLeafInputs(transactions);
  return {
    root: rootOf(arrayLeaves(transactions), sha512_256),
    root256: rootOf(vectorLeaves(inputs, sha256), sha256),
    root512: rootOf(vectorLeaves(inputs, sha512), sha512),
  };
}

/** The hash of a transaction in the form in which its block holds it. */
export function stibHash(encoded: Uint8Array, hash: Hash): Uint8Array {
  return hash(Buffer.concat([IN_BLOCK_PREFIX, encoded]));
}

/** The path of a transaction in the Merkle array with SHA-512/256. */
export function pathInArray(transactions: readonly CommittedTransaction[], index: number): MerklePath {
  return pathOf(arrayLeaves(transactions), index, sha512_256);
}

/** The path of a transaction in the vector commitment with SHA-256. */
export function pathInVector(transactions: readonly CommittedTransaction[], index: number): MerklePath {
  const padded = vectorLeaves(vectorLeafInputs(transactions), sha256);
  return pathOf(padded, reverseBits(index, Math.log2(padded.length)), sha256);
}

function arrayLeaves(transactions: readonly CommittedTransaction[]): Uint8Array[] {
  return transactions.map(({ txId, encoded }) => sha512_256(leafOf(txId, stibHash(encoded, sha512_256))));
}

/** The inputs for leaves of the vector commitments. They use SHA-256 inside, even if the tree uses SHA-512. */
function vectorLeafInputs(transactions: readonly CommittedTransaction[]): Uint8Array[] {
  return transactions.map(({ message, encoded }) => leafOf(sha256(message), stibHash(encoded, sha256)));
}

function leafOf(id: Uint8Array, stib: Uint8Array): Uint8Array {
  return Buffer.concat([LEAF_PREFIX, id, stib]);
}

/** Leaves of a vector commitment: padded to a power of two with empty ones, ordered by their index's reversed bits. */
function vectorLeaves(inputs: readonly Uint8Array[], hash: Hash): Uint8Array[] {
  const bits = Math.ceil(Math.log2(Math.max(1, inputs.length)));
  return Array.from({ length: 2 ** bits }, (_, position) => hash(inputs[reverseBits(position, bits)] ?? EMPTY_LEAF));
}

function reverseBits(value: number, bits: number): number {
  let reversed = 0;
  for (let bit = 0; bit < bits; bit++) reversed |= ((value >> bit) & 1) << (bits - 1 - bit);
  return reversed;
}

function rootOf(bottom: readonly Uint8Array[], hash: Hash): Uint8Array {
  let layer = bottom;
  while (layer.length > 1) layer = nextLayer(layer, hash);
  return layer[0] ?? NO_ROOT;
}

function nextLayer(layer: readonly Uint8Array[], hash: Hash): Uint8Array[] {
  const parents: Uint8Array[] = [];
  for (let index = 0; index < layer.length; index += 2) {
    const left = layer[index] ?? new Uint8Array();
    parents.push(hash(Buffer.concat([INNER_PREFIX, left, layer[index + 1] ?? new Uint8Array(left.length)])));
  }
  return parents;
}

function pathOf(bottom: readonly Uint8Array[], index: number, hash: Hash): MerklePath {
  const siblings: Uint8Array[] = [];
  let [layer, at] = [bottom, index];
  for (; layer.length > 1; at >>= 1) {
    const own = layer[at] ?? new Uint8Array();
    siblings.push(layer[at ^ 1] ?? new Uint8Array(own.length));
    layer = nextLayer(layer, hash);
  }
  return { treeDepth: siblings.length, siblings: Buffer.concat(siblings) };
}
