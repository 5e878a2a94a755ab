import { expect, test } from 'vitest';
import { bytes } from '../../src/codec/bytes.ts';
import { encode } from '../../src/codec/document.ts';
import { settledBufferBytes } from '../rest/heap.ts';

test('a long encoding leaves no memory behind', () => {
  const before = settledBufferBytes();
  const { length } = encode(bytes, new Uint8Array(50_000_000));
  expect(length).toBe(50_000_005);
  expect(settledBufferBytes() - before).toBeLessThan(10_000_000);
});
