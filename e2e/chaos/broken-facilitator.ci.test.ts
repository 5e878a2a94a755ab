import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runChaos } from './chaos.ts';

const program = fileURLToPath(new URL('broken-facilitator.ts', import.meta.url));

/** Duplicates only, nothing else goes wrong: whatever the oracle finds comes from the broken guard. */
function runBroken(guard: 'claim' | 'key') {
  return runChaos({
    seed: 402,
    payments: 20,
    paymentsPerSecond: 20,
    blockTimeMs: 150,
    kills: 0,
    faults: false,
    duplicateShare: 1,
    duplicates: ['other key'],
    poorShare: 0,
    facilitator: [program, guard],
  });
}

it('the oracle sees when every claim on a payment wins', async () => {
  const { violations } = await runBroken('claim');
  expect(violations.filter((violation) => violation.includes('claimants were told success'))).not.toEqual([]);
}, 300_000);

it('the oracle sees when the idempotency key is not checked', async () => {
  const { violations } = await runBroken('key');
  expect(violations.filter((violation) => violation.includes('claimants were told success'))).not.toEqual([]);
}, 300_000);
