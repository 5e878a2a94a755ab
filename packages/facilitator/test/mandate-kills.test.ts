import { expect, it } from 'vitest';
import { DevnodeHarness } from './devnode-harness.ts';
import { sellWhileProcessesDie } from './mandate-kills.ts';

it('a mandate’s purchases are paid once, whichever process dies, and lose no more than it allows', async () => {
  const h = await DevnodeHarness.start();
  try {
    const kills = await sellWhileProcessesDie(h, 8, 7);
    expect(Math.min(kills.paid, kills.refused, kills.facilitators, kills.sellers, kills.agents)).toBeGreaterThan(0);
  } finally {
    await h.stop();
  }
});
