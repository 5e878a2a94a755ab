import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode } from '../../src/start-devnode.ts';
import { readVector } from '../replay/recording.ts';
import { fuzzBytes, fuzzRequests } from './fuzz.ts';

describe('whatever is sent', () => {
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

  test('as a changed request gets one well-formed answer', async () => {
    await fuzzRequests(node, 500);
    expect(internalErrors).toEqual([]);
  });

  test('as random bytes does no harm', async () => {
    await fuzzBytes(node, 100);
    expect((await fetch(`${node.url}/health`)).status).toBe(200);
  });
});
