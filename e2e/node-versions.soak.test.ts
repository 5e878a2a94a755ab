import { expect, it } from 'vitest';
import { OTHER_NODES, runTests } from '@avm402/nodes/suite';

/** What Node's connections and responses decide about, and what it may lack; `npm run soak:nodes` runs everything. */
const TESTS = [
  ...['hosts', 'leaving-client', 'held-response', 'settled-alone', 'takeover'].map(
    (name) => `packages/server/test/${name}`,
  ),
  'packages/core/test/',
];

it.each(OTHER_NODES)('tests pass on Node %i', (version) => {
  const { passed, ...wrong } = runTests(version, TESTS);
  expect(wrong).toEqual({ failed: [], needless: [] });
  expect(passed).toBeGreaterThan(200);
});
