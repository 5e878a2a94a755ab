import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockStore, type BlockParts } from '../../src/block/block-store.ts';
import { settledBufferBytes } from '../rest/heap.ts';

const DEPTH = 700;

function parts(round: number, life: number, headerBytes = 16): BlockParts {
  const header = new Uint8Array(headerBytes);
  header.set(Buffer.from(`${life}.${round}`));
  return { hash: new Uint8Array(32).fill(life), header, transactions: [] };
}

/** What happens to a store: so many blocks come, a mark is made, or one of the marks is returned to. */
const event = fc.oneof(
  fc.record({ append: fc.nat({ max: 1500 }) }),
  fc.constant({ mark: true } as const),
  fc.record({ returnTo: fc.nat() }),
);

test('a store has its last blocks, and those before the mark that it returns to', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      const store = new BlockStore(DEPTH);
      let blocks: BlockParts[] = [];
      let marks: { readonly blocks: readonly BlockParts[]; readonly putBack: () => void }[] = [];
      for (const [life, happens] of events.entries()) {
        if ('append' in happens) {
          for (let left = happens.append; left > 0; left--) {
            blocks.push(parts(blocks.length, life));
            store.append(parts(blocks.length - 1, life));
          }
        } else if ('mark' in happens) {
          marks.push({ blocks: [...blocks], putBack: store.mark() });
        } else if (marks.length > 0) {
          marks = marks.slice(0, (happens.returnTo % marks.length) + 1);
          const mark = marks.at(-1);
          mark?.putBack();
          blocks = [...(mark?.blocks ?? [])];
        }
        const oldest = Math.max(0, blocks.length - 1 - DEPTH);
        expect(store.oldest).toBe(BigInt(oldest));
        for (let round = 0; round <= blocks.length; round += 50) {
          expect(store.parts(BigInt(round))).toEqual(round < oldest ? undefined : blocks[round]);
        }
        expect(store.parts(BigInt(blocks.length - 1))).toEqual(blocks.at(-1));
      }
    }),
    { numRuns: 60 },
  );
});

test('blocks that are let go leave memory, whatever was marked before them', () => {
  const store = new BlockStore(1000);
  store.append(parts(0, 0));
  const putBack = store.mark();
  const before = settledBufferBytes();
  for (let round = 1; round <= 20_000; round++) store.append(parts(round, 0, 2000));
  const kept = settledBufferBytes() - before;
  expect(store.oldest).toBe(19_000n);
  // Of 40 MB that came, the last 1,001 blocks, with the whole megabytes in which they and the marked one are.
  expect(kept).toBeGreaterThan(2_000_000);
  expect(kept).toBeLessThan(5_500_000);
  putBack();
  expect([store.parts(0n), store.parts(1n)]).toEqual([parts(0, 0), undefined]);
});
