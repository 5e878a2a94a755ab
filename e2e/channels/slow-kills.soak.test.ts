import { expect, inject, it } from 'vitest';
import { payWhileKilling } from './kills.ts';
import { expectNothingLost } from './oracle.ts';

const REQUESTS = 100 * inject('soakShare');

it('on blocks by interval, too, every channel is closed and every unit accounted for, whoever is killed or squats', async () => {
  const options = {
    seed: 3,
    channels: 15,
    requestsPerChannel: REQUESTS,
    kills: 15,
    killEveryMs: 1_200,
    blockTime: '400ms',
  };
  const report = await payWhileKilling(options);
  expectNothingLost(report, options);
  for (const count of Object.values(report.kills)) expect(count).toBeGreaterThanOrEqual(4);
  console.log(`${report.seconds.toFixed(0)} s`, report.kills, report.squatter, report.failures);
});
