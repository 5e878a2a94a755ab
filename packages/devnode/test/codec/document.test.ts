import { expect, test } from 'vitest';
import { bytes } from '../../src/codec/bytes.ts';
import { encode } from '../../src/codec/document.ts';
import { text } from '../../src/codec/text.ts';
import { settledBufferBytes } from '../rest/heap.ts';
import { exactText } from '@avm402/teal/go';

test('a message that quotes bytes which are not UTF-8 keeps them', () => {
  const quoted = exactText('genesis <v\xff\xc3\xbc>');
  expect(Buffer.from(encode(text, quoted)).toString('latin1')).toBe('\xaegenesis <v\xff\xc3\xbc>');
});

test('a long encoding leaves no memory behind', () => {
  const before = settledBufferBytes();
  const { length } = encode(bytes, new Uint8Array(50_000_000));
  expect(length).toBe(50_000_005);
  expect(settledBufferBytes() - before).toBeLessThan(10_000_000);
});
