import { expect, inject, it } from 'vitest';
import { payWhileKilling } from './kills.ts';
import { expectNothingLost } from './oracle.ts';

const REQUESTS = 200 * inject('soakShare');

it(`${REQUESTS} requests over each of twenty-five channels are accounted for to the unit, whoever is killed`, async () => {
  const options = { seed: 2, channels: 25, requestsPerChannel: REQUESTS, kills: 15, killEveryMs: 800 };
  const report = await payWhileKilling(options);
  expectNothingLost(report, options);
  for (const count of Object.values(report.kills)) expect(count).toBeGreaterThanOrEqual(4);
  const answers = report.buyers.reduce((sum, buyer) => sum + buyer.answers, 0);
  console.log(
    `${answers} answers, kills ${JSON.stringify(report.kills)}, ${report.seconds.toFixed(0)} s`,
    report.failures,
  );
});
