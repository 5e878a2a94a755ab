import { expect, it } from 'vitest';
import { DevnodeHarness } from './devnode-harness.ts';
import { sellWhileProcessesDie } from './mandate-kills.ts';

const sequences = Number(process.env['KILL_SEQUENCES'] ?? 1_000);

it('many kills: a mandate’s purchases are paid once, and lose no more than it allows', async () => {
  const h = await DevnodeHarness.start();
  try {
    const kills = await sellWhileProcessesDie(h, sequences, 3);
    console.log(kills);
    expect(kills.facilitators + kills.sellers + kills.agents).toBeGreaterThan(sequences);
    expect(Math.min(kills.facilitators, kills.sellers, kills.agents)).toBeGreaterThan(0);
    expect(Math.min(kills.paid, kills.refused, kills.stolen)).toBeGreaterThan(sequences / 10);
  } finally {
    await h.stop();
  }
}, 3_600_000);
