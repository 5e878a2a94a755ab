import { sha256, sha512_256 } from '@avm402/algorand/hash';
import { describe, expect, test } from 'vitest';
import { pathInArray, pathInVector, commitmentsOf, stibHash } from '../../src/block/merkle-array.ts';
import { nextTimestamp } from '../../src/block/timestamp.ts';
import { testChain } from '../chain-fixture.ts';

const COUNTS = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17];

function transactions(count: number) {
  return Array.from({ length: count }, (_, index) => {
    const message = Buffer.from(`TX${index}`);
    return { message, txId: sha512_256(message), encoded: Buffer.from(`encoded ${index}`) };
  });
}

/** Climbs a path the way a light client does. */
function climb(
  leaf: Uint8Array,
  path: { siblings: Uint8Array; treeDepth: number },
  index: number,
  hash: typeof sha256,
): Uint8Array {
  let [node, at] = [leaf, index];
  for (let depth = 0; depth < path.treeDepth; depth++, at >>= 1) {
    const sibling = path.siblings.subarray(depth * 32, (depth + 1) * 32);
    node = hash(Buffer.concat([Buffer.from('MA'), ...(at & 1 ? [sibling, node] : [node, sibling])]));
  }
  return node;
}

describe('the proof of each transaction', () => {
  test.each(COUNTS)('in a block of %d leads to the root in the header', (count) => {
    const committed = transactions(count);
    const { root } = commitmentsOf(committed);
    for (const [index, { txId, encoded }] of committed.entries()) {
      const leaf = sha512_256(Buffer.concat([Buffer.from('TL'), txId, stibHash(encoded, sha512_256)]));
      expect(climb(leaf, pathInArray(committed, index), index, sha512_256)).toEqual(root);
    }
  });

  test.each(COUNTS)('in the vector of %d leads to its root from the reversed place', (count) => {
    const committed = transactions(count);
    const { root256 } = commitmentsOf(committed);
    for (const [index, { message, encoded }] of committed.entries()) {
      const leaf = sha256(Buffer.concat([Buffer.from('TL'), sha256(message), stibHash(encoded, sha256)]));
      const path = pathInVector(committed, index);
      const reversed = Number.parseInt(
        index.toString(2).padStart(path.treeDepth, '0').split('').toReversed().join('') || '0',
        2,
      );
      expect(climb(leaf, path, path.treeDepth === 0 ? 0 : reversed, sha256)).toEqual(root256);
    }
  });
});

test('each block names the one before by its hash', () => {
  const chain = testChain();
  for (let round = 0n; round < 5n; round++) {
    chain.append(chain.startBlock(), { offset: 3n, now: 0n });
    expect(chain.latest.round).toBe(round + 1n);
    expect(chain.latest.previousHash).toEqual(Uint8Array.from(chain.blocks.hash(round) ?? []));
    expect(chain.latest.seed).toEqual(chain.latest.previousHash);
  }
  expect(chain.latest.timestamp).toBe(1_700_000_015n);
});

describe('a block’s timestamp', () => {
  test.each([
    ['is the wall clock shortly after the block before', 1000n, undefined, 1007n, 1007n],
    ['goes at most 25 seconds further', 1000n, undefined, 9000n, 1025n],
    ['never goes back', 1000n, undefined, 900n, 1000n],
    ['is the wall clock after a genesis without a timestamp', 0n, undefined, 9000n, 9000n],
    ['is the offset further once one is set', 1000n, 60n, 9000n, 1060n],
    ['stands still with an offset of zero', 1000n, 0n, 9000n, 1000n],
    ['wraps around where a signed number of 64 bits does', 2n ** 63n - 1n, 3n, 9000n, -(2n ** 63n) + 2n],
  ])('%s', (_name, previous, offset, now, expected) => {
    expect(nextTimestamp(previous, { offset, now })).toBe(expected);
  });
});
