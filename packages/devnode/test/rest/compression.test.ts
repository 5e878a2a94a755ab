import { gunzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { fc, test } from '@fast-check/vitest';
import { gzipped } from '../../src/rest/compression.ts';

describe('a compressed body', () => {
  test.prop([fc.uint8Array({ maxLength: 2000 })])('is what it was after decompression', async (body) => {
    expect(Buffer.compare(gunzipSync(await gzipped(body)), body)).toBe(0);
  });

  test.each([0, 1, 65_535, 65_536, 200_000])('of %i bytes is too', async (length) => {
    const body = Buffer.alloc(length, 'abc');
    expect(gunzipSync(await gzipped(body)).equals(body)).toBe(true);
  });
});
