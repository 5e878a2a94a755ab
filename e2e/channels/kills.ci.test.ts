import { expect, it } from 'vitest';
import { payWhileKilling } from './kills.ts';
import { expectNothingLost } from './oracle.ts';

it('whoever is killed, no buyer is charged for what it did not get, and the seller has all that was charged', async () => {
  const options = { seed: 1, channels: 4, requestsPerChannel: 50, kills: 3, killEveryMs: 300 };
  const report = await payWhileKilling(options);
  expectNothingLost(report, options);
  for (const count of Object.values(report.kills)) expect(count).toBeGreaterThanOrEqual(1);
}, 300_000);
