import { isAddress, parseAddress } from '@avm402/algorand/address';
import { sha512_256 } from '@avm402/algorand/hash';
import { X402Error } from '@avm402/core/errors';
import { concatBytes } from '@noble/hashes/utils.js';

/** The most receivers of a mandate: a program and its arguments have 1,000 bytes, and each doubling takes 32 of them. */
export const MAX_RECEIVERS = 1_024;

/** The root of a mandate that may pay anybody. */
export const ANY_RECEIVER = new Uint8Array(32);

/** The receivers that a mandate may pay, as a Merkle tree. */
export interface ReceiverTree {
  /** 32 bytes: {@link MandateConfig.receivers}. */
  readonly root: Uint8Array;
  /** The most bytes that a path has. */
  readonly longestPath: number;
  /** The hashes that lead from a receiver to the root, one after another; undefined if it is not in the tree. */
  pathTo(receiver: string): Uint8Array | undefined;
}

/**
 * The tree of receivers. A leaf is SHA-512/256 of a receiver's 32 bytes, and a node that of its two children's hashes,
 * the smaller first; lengths tell the two apart. Leaves are sorted by their hashes, and the last of an odd level moves
 * up as it is. The order of the list does not matter.
 * @throws X402Error `invalid_mandate` for no receivers, more than {@link MAX_RECEIVERS}, or a text that is not an address
 */
export function receiverTree(receivers: readonly string[]): ReceiverTree {
  const distinct = [...new Set(receivers)];
  if (distinct.length === 0 || distinct.length > MAX_RECEIVERS) {
    throw invalid(`a mandate has 1 to ${MAX_RECEIVERS} receivers, this one ${distinct.length}`);
  }
  const wrong = distinct.find((receiver) => !isAddress(receiver));
  if (wrong !== undefined) throw invalid(`the receiver ${JSON.stringify(wrong.slice(0, 60))} is not an address`);
  const levels = [distinct.map(leafOf).toSorted(compare)];
  for (let level = levels[0] ?? []; level.length > 1; levels.push(level)) level = parentsOf(level);
  const root = levels.at(-1)?.[0] ?? ANY_RECEIVER;
  const known = new Set(distinct);
  return {
    root,
    longestPath: (levels.length - 1) * root.length,
    pathTo: (receiver) => (known.has(receiver) ? pathFrom(leafOf(receiver), levels) : undefined),
  };
}

function leafOf(receiver: string): Uint8Array {
  return sha512_256(parseAddress(receiver));
}

function parentsOf(level: readonly Uint8Array[]): Uint8Array[] {
  const parents: Uint8Array[] = [];
  for (let index = 0; index < level.length; index += 2) {
    const [left, right] = [level[index], level[index + 1]];
    if (left !== undefined) parents.push(right === undefined ? left : nodeOf(left, right));
  }
  return parents;
}

function nodeOf(one: Uint8Array, other: Uint8Array): Uint8Array {
  return sha512_256(compare(one, other) < 0 ? concatBytes(one, other) : concatBytes(other, one));
}

/** The sibling on each level, where there is one. */
function pathFrom(leaf: Uint8Array, levels: readonly (readonly Uint8Array[])[]): Uint8Array {
  let index = levels[0]?.findIndex((hash) => compare(hash, leaf) === 0) ?? 0;
  const path: Uint8Array[] = [];
  for (const level of levels) {
    const sibling = level[index % 2 === 0 ? index + 1 : index - 1];
    if (sibling !== undefined) path.push(sibling);
    index = Math.floor(index / 2);
  }
  return concatBytes(...path);
}

/** Compares hashes as numbers, most significant byte first. */
function compare(one: Uint8Array, other: Uint8Array): number {
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return at === -1 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}

function invalid(what: string): X402Error {
  return new X402Error('invalid_mandate', { message: what });
}
