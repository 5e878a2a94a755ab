import { channelId } from '@avm402/avm/batch-settlement';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../src/log.ts';
import { createFacilitator, type FacilitatorOptions, type Log, memorySettlementStore } from '../src/index.ts';
import { ChannelStage } from './channel-stage.ts';
import { eventually } from './eventually.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let stage: ChannelStage;
let clock: number;
const warnings: string[] = [];
const log: Log = { ...silentLog, warn: (_, message) => void warnings.push(message) };
const now = (): number => clock;
const store = () => memorySettlementStore({ now });

beforeEach(async () => {
  clock = Date.now();
  warnings.length = 0;
});
afterEach(() => stage[Symbol.asyncDispose]());

/** A facilitator for the same sellers, after the stage's own. */
async function another(options: Partial<FacilitatorOptions>) {
  const facilitator = createFacilitator({
    networks: [{ algods: [stage.harness.algod] }],
    sponsorship: { account: stage.harness.account('facilitator'), payTo: [stage.seller] },
    leaseMs: 90,
    now,
    log,
    ...options,
  });
  await facilitator.start();
  return { facilitator, [Symbol.asyncDispose]: () => facilitator.close() };
}

describe('what was lent to a channel', () => {
  it('comes back after an outage that lasted longer than settlements are kept', async () => {
    const shared = store();
    stage = await ChannelStage.start({ facilitator: { store: shared, now, leaseMs: 90 } });
    const before = stage.algo(stage.sponsor);
    const config = await stage.open();
    await stage.harness.facilitator.close();
    await stage.expire(config);
    await stage.harness.devnode.mine(20);
    clock += 30 * DAY_MS;
    await using _ = await another({ store: shared, retentionDays: 1 });
    await eventually(() => stage.algo(stage.sponsor) === before - 4_000n - 3_000n);
    expect(stage.usdc(channelId(config))).toBe(0n);
  });
});
