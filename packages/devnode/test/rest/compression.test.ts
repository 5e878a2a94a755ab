import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { gzipped } from '../../src/rest/compression.ts';

describe('a compressed body', () => {
  test('is what it was after decompression', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (body) => {
        expect(Buffer.compare(gunzipSync(await gzipped(body)), body)).toBe(0);
      }),
    ));

  test.each([0, 1, 65_535, 65_536, 200_000])('of %i bytes is too', async (length) => {
    const body = Buffer.alloc(length, 'abc');
    expect(gunzipSync(await gzipped(body)).equals(body)).toBe(true);
  });
});
