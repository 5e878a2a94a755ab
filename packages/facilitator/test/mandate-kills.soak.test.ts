import { expect, inject, it } from 'vitest';
import { DevnodeHarness } from './devnode-harness.ts';
import { sellWhileProcessesDie } from './mandate-kills.ts';

const SEQUENCES = 1_000 * inject('soakShare');

it(`${SEQUENCES} sequences of kills: a mandate’s purchases are paid once, and lose no more than it allows`, async () => {
  const h = await DevnodeHarness.start();
  try {
    const kills = await sellWhileProcessesDie(h, SEQUENCES, 3);
    console.log(kills);
    expect(kills.facilitators + kills.sellers + kills.agents).toBeGreaterThan(SEQUENCES);
    expect(Math.min(kills.facilitators, kills.sellers, kills.agents)).toBeGreaterThan(0);
    expect(Math.min(kills.paid, kills.refused, kills.stolen)).toBeGreaterThan(SEQUENCES / 10);
  } finally {
    await h.stop();
  }
}, 3_600_000);
