import { expect, test } from 'vitest';
import { examplesOf, isTest, runTests } from './examples.ts';

test('the examples of the pages run as test files', async () => {
  const pages = ['packages/devnode/README.md', 'docs/devnode/dapps.md', 'docs/devnode/ci.md'];
  expect(await runTests(examplesOf('ts', ...pages).filter(isTest))).toMatch(/Tests +7 passed/);
});
