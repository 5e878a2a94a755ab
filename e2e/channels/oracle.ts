import { expect } from 'vitest';
import type { KillsOptions, KillsReport } from './kills.ts';

/** µAlgo that sponsors of so many channels pay in fees at most: opening, adding to, and closing each a few times. */
const FEES_PER_CHANNEL = 30_000n;

/**
 * Every answer was paid for, what was paid besides is explained by requests under which a buyer's process was killed, and
 * what buyers have spent the seller has. All by the chain and the buyers' own words.
 */
export function expectNothingLost(
  { buyers, received, sponsorSpent, squatter }: KillsReport,
  { channels, requestsPerChannel }: Pick<KillsOptions, 'channels' | 'requestsPerChannel'>,
): void {
  expect(buyers).toHaveLength(channels);
  for (const { name, answers, charged, wrong, unanswered, spent } of buyers) {
    expect({ name, answers: answers >= requestsPerChannel, wrong }).toEqual({ name, answers: true, wrong: 0 });
    expect({ name, paid: spent >= charged, explained: spent <= charged + unanswered }).toEqual({
      name,
      paid: true,
      explained: true,
    });
  }
  expect(received).toBe(buyers.reduce((sum, { spent }) => sum + spent, 0n));
  expect(received).toBeGreaterThan(0n);
  expect(squatter.channels).toBeGreaterThanOrEqual(channels);
  expect(squatter.answers['invalid_upto_avm_payload']).toBeGreaterThanOrEqual(channels);
  expect(squatter.answers['held']).toBeUndefined();
  expect(sponsorSpent).toBeLessThanOrEqual(FEES_PER_CHANNEL * BigInt(channels));
}
