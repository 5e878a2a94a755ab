import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode } from '../../src/start-devnode.ts';
import { readVector } from '../replay/recording.ts';
import { fuzzBytes, fuzzRequests } from './fuzz.ts';
import { settledHeapBytes } from './heap.ts';

const MEMORY_SLACK_BYTES = 60_000_000;

describe('thirteen thousand inputs', () => {
  const internalErrors: unknown[] = [];
  let node: Devnode;

  beforeAll(async () => {
    node = await startDevnode({
      port: 0,
      adminToken: 'b'.repeat(64),
      genesis: readVector('genesis.json'),
      onInternalError: (error) => internalErrors.push(error),
    });
  });

  afterAll(() => node.stop());

  test('as changed requests get well-formed answers, and memory stays bounded', async () => {
    await fuzzRequests(node, 1000);
    const before = settledHeapBytes();
    await fuzzRequests(node, 10_000);
    expect(internalErrors).toEqual([]);
    expect(settledHeapBytes() - before).toBeLessThan(MEMORY_SLACK_BYTES);
  });

  test('as random bytes do no harm', async () => {
    await fuzzBytes(node, 2000);
    expect((await fetch(`${node.url}/health`)).status).toBe(200);
  });
});
