import { Readable } from 'node:stream';
import type { HTTPAdapter } from '@x402/core/server';
import { describe, expect, it } from 'vitest';
import { recordReads } from '../src/offers/recorded-reads.ts';

/** The digest after `read` has read of a request with this header and body. */
function digestOf(read: (reads: ReturnType<typeof recordReads>) => unknown, header = 'low', body?: unknown) {
  const adapter: HTTPAdapter = {
    getHeader: () => header,
    getMethod: () => 'GET',
    getPath: () => '/goods',
    getUrl: () => 'http://shop.example/goods',
    getAcceptHeader: () => '',
    getUserAgent: () => '',
    getBody: () => body,
  };
  const reads = recordReads({ adapter, path: '/goods', method: 'GET', paymentHeader: header });
  read(reads);
  return reads.digest();
}

describe('what is read of a request', () => {
  it('is told apart by questions and answers, in whatever order they come', () => {
    const one = digestOf(({ context: { adapter } }) => [adapter.getHeader('a'), adapter.getHeader('b')]);
    const other = digestOf(({ context: { adapter } }) => [adapter.getHeader('b'), adapter.getHeader('a')]);
    expect(one).toBe(other);
    const digests = [
      one,
      digestOf(({ context }) => context.adapter.getHeader('a')),
      digestOf(({ context }) => context.adapter.getHeader('a'), 'high'),
      digestOf(({ context }) => context.paymentHeader),
      digestOf(({ context }) => context.paymentHeader, 'high'),
      digestOf(({ context }) => context.adapter.getBody?.(), 'low', { size: 1 }),
      digestOf(({ context }) => context.adapter.getBody?.(), 'low', { size: Infinity }),
      digestOf(({ context }) => context.adapter.getBody?.(), 'low', { size: null }),
      digestOf(({ context }) => context.adapter.getBody?.()),
      digestOf(() => undefined),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(digests).not.toContain(undefined);
  });

  it('has no digest where an answer has no bytes of its own: no quote is made of it', () => {
    const read = ({ context }: ReturnType<typeof recordReads>): unknown => context.adapter.getBody?.();
    expect(digestOf(read, 'low', { stream: Readable.from(['x']), pick: () => 'dear' })).toBeUndefined();
  });
});
