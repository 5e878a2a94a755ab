import { expect, test } from 'vitest';
import { examplesOf, isTest, runTests } from './examples.ts';

test('the examples of the pages run as test files', async () => {
  const pages = ['packages/devnode/README.md', 'docs/devnode/dapps.md', 'docs/devnode/ci.md'];
  expect(await runTests(examplesOf('ts', ...pages).filter(isTest))).toMatch(/Tests +9 passed/);
});

test.each(['algokit-utils-9', 'algokit-utils-10'])(
  'the tests of docs/devnode/algokit-utils.md pass with %s',
  async (kit) => {
    const examples = examplesOf('ts', 'docs/devnode/algokit-utils.md');
    const ours = examples.map((code) => code.replace('@algorandfoundation/algokit-utils', kit));
    expect(await runTests(ours)).toMatch(/Tests +2 passed/);
  },
);
