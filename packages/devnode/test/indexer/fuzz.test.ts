import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DevelopmentNode } from '../../src/development-node.ts';
import { indexerRoutes } from '../../src/indexer/route-table.ts';
import { startIndexedNode, type IndexedNode } from './chain-of-payments.ts';

const closed = new DevelopmentNode();
const routes = indexerRoutes(closed);
closed.close();

describe('every route of the indexer', () => {
  let chain: IndexedNode;
  const faults: unknown[] = [];
  beforeAll(async () => {
    chain = await startIndexedNode({ onInternalError: (error) => faults.push(error) });
    await chain.pay(1n);
  });
  afterAll(() => chain.node.stop());

  const address = fc.constantFrom('TGAF72Q3YQTVOIYEA5EYHE7UVLMD3HEJFB5P5WB4KIWHG5DRIUJ5MKUBRI', 'X');
  const numbers = fc.constantFrom('0', '1', '10458941', '1.0', '18446744073709551615', '99999999999999999999', '-1');
  const words = fc.constantFrom(
    'pay',
    'axfer',
    'sender',
    'sig',
    'all',
    'true',
    'false',
    '2030-01-01T00:00:00Z',
    'AAAA',
  );
  const value = fc.oneof(address, numbers, words, fc.string({ maxLength: 8 }));

  test('answers any query with JSON, and never by its own fault', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...routes),
        fc.array(fc.tuple(fc.nat(40), value), { maxLength: 4 }),
        fc.array(value),
        async ({ path, parameters }, asked, inPath) => {
          const names = Object.keys(parameters).filter((name) => parameters[name]?.in === 'query');
          const query = new URLSearchParams();
          for (const [pick, text] of asked) query.set(names[pick % Math.max(1, names.length)] ?? 'unknown', text);
          const values = [...inPath];
          const target = path.replaceAll(/:[a-z-]+/g, () => encodeURIComponent(values.shift() ?? '1') || '1');
          const response = await fetch(`${chain.node.indexerUrl}${target}?${query}`);
          expect([200, 400, 404]).toContain(response.status);
          expect(await response.json()).toBeTypeOf('object');
          expect(faults).toEqual([]);
        },
      ),
      {
        numRuns: 600,
      },
    ));
});
