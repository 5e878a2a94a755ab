import { expect, it } from 'vitest';
import { firstDifference } from './pages.ts';
import { run, shownOutput } from './first-payment.ts';

it('docs/first-payment.md: npm start does what is shown', { timeout: 180_000 }, () => {
  const { command, output } = shownOutput('npm start');
  expect(output.length).toBeGreaterThan(5);
  expect(firstDifference(output, run(command))).toBeUndefined();
});
