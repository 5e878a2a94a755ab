import { expect, it } from 'vitest';
import { runTests } from '@avm402/nodes/suite';

/** What Node's connections and responses decide about. On Node 20 `npm run soak:nodes` runs all of it. */
const TESTS = [
  ...['hosts', 'leaving-client', 'held-response', 'settled-alone', 'takeover'].map(
    (name) => `packages/server/test/${name}`,
  ),
  'packages/core/test/',
];

it('tests pass on Node 22', () => {
  const { passed, ...wrong } = runTests(22, TESTS);
  expect(wrong).toEqual({ failed: [], needless: [] });
  expect(passed).toBeGreaterThan(200);
});
