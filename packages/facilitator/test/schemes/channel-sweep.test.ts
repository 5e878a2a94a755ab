import { channelId } from '@avm402/avm/batch-settlement';
import type { ChannelNetwork } from '@avm402/avm/batch-settlement/facilitator';
import { beforeEach, describe, expect, it } from 'vitest';
import { ChannelSweep } from '../../src/schemes/channel-sweep.ts';
import { silentLog } from '../../src/log/log.ts';
import { createFacilitator, type FacilitatorOptions, type Log, createMemorySettlementStore } from '../../src/index.ts';
import { opening } from '../stores/channel-rows-contract.ts';
import { ChannelStage, DEPOSIT } from './channel-stage.ts';
import { USDC } from '../devnode-harness.ts';
import { eventually } from '../eventually.ts';
import { withChanges } from '../harness.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let clock: number;
const warnings: string[] = [];
const log: Log = { ...silentLog, warn: (_, message) => void warnings.push(message) };
const now = (): number => clock;
const store = () => createMemorySettlementStore({ now });

beforeEach(() => {
  clock = Date.now();
  warnings.length = 0;
});

const warned = (): number =>
  warnings.filter((text) => text === 'an expired channel could not be refunded; it is tried again later').length;

/** A facilitator for the same sellers, after the stage's own. */
async function another(stage: ChannelStage, options: Partial<FacilitatorOptions>) {
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
    await using stage = await ChannelStage.start({ facilitator: { store: shared, now, leaseMs: 90 } });
    const before = stage.algo(stage.sponsor);
    const config = await stage.open();
    await stage.harness.facilitator.close();
    await stage.expire(config);
    await stage.harness.devnode.mine(20);
    clock += 30 * DAY_MS;
    await using _ = await another(stage, { store: shared, retentionDays: 1 });
    await eventually(() => {
      clock += 10_000;
      return stage.algo(stage.sponsor) === before - 4_000n - 3_000n;
    }, 20_000);
    expect(stage.usdc(channelId(config))).toBe(0n);
    await eventually(async () => (await shared.openChannels(stage.harness.network)) === 0);
    expect(warned()).toBe(0);
  });

  it('comes back, and the deposit to its payer, also when the clock was set back by a year', async () => {
    const shared = store();
    await using stage = await ChannelStage.start({ facilitator: { store: shared, now, leaseMs: 90 } });
    const before = stage.usdc(stage.payer.address);
    const config = await stage.open();
    clock -= 365 * DAY_MS;
    await stage.expire(config);
    await eventually(() => {
      clock += 10_000;
      return stage.usdc(channelId(config)) === 0n;
    });
    expect(stage.usdc(stage.payer.address)).toBe(before);
  });
});

describe('the sweep of expired channels', () => {
  it('gets past twenty that can’t be refunded to the one behind them', async () => {
    // Twenty deposits at once take their time on a busy machine.
    const facilitator = { store: store(), now, log, leaseMs: 90, settleTimeoutMs: 30_000 };
    await using stage = await ChannelStage.start({ facilitator });
    const stuck = await Promise.all(Array.from({ length: 20 }, () => stage.open()));
    const other = stage.harness.account('payer2');
    const config = await stage.config({ payer: other.address, expiry: (await stage.config()).expiry + 5n });
    expect(await stage.settle(await stage.opening(config, 1_000n, undefined, other))).toMatchObject({ success: true });
    const farewell = { receiver: stage.seller, assetCloseTo: stage.seller, assetId: USDC, amount: 0n } as const;
    const { address: sender } = stage.payer;
    await stage.harness.send(stage.payer, { ...(await stage.harness.header()), ...farewell, type: 'axfer', sender });
    await stage.expire(config);
    await eventually(() => {
      clock += 10_000;
      return stage.usdc(channelId(config)) === 0n;
    }, 20_000);
    expect(warned()).toBeGreaterThanOrEqual(20);
    expect(stuck.map((one) => stage.usdc(channelId(one)))).toEqual(stuck.map(() => DEPOSIT));
  });

  it('warns when the store does not tell what has expired, and asks it again', async () => {
    const shared = store();
    let asked = 0;
    const failing = withChanges(shared, {
      expiredChannels: async (...call) => {
        asked += 1;
        if (asked === 1) throw new Error('no answer');
        return shared.expiredChannels(...call);
      },
    });
    await using _ = await ChannelStage.start({ facilitator: { store: failing, now, log, leaseMs: 60 } });
    await eventually(() => warnings.includes('expired channels could not be looked up'));
    clock += 10_000;
    await eventually(() => asked > 1);
  });

  it('refunds also a channel that is not on record, as one of anybody', async () => {
    const other = store();
    await using stage = await ChannelStage.start({ facilitator: { now } });
    const config = await stage.open();
    await stage.expire(config);
    await using late = await another(stage, { store: other });
    const { payload, requirements } = await stage.message({ type: 'refund', channelConfig: config });
    const answer = await late.facilitator.settle(payload, requirements);
    expect(answer).toMatchObject({ success: true, extra: { move: 'refund' } });
    expect(await other.find(answer.transaction)).toMatchObject({
      terms: 'anyone',
      advance: true,
      sponsoredFee: 3_000n,
    });
  });

  /** A sweep of one network whose store names these channels; it notes what it is asked and does. */
  function swept(names: () => Promise<readonly string[]> = async () => ['C']) {
    const did: string[] = [];
    const limits: number[] = [];
    const facts = { minBalance: 200_000n, refund: 'confirmed' };
    const rows = async () => {
      const row = opening('OPEN', 'C');
      return (await names()).map((id) => ({ ...row, channel: row.channel && { ...row.channel, id } }));
    };
    const endings = {
      refund: async ({ channelId: id }: { readonly channelId: string }) => {
        did.push(`refund ${id}`);
        return { state: facts.refund };
      },
    };
    const told = {
      endChannel: async (id: string) => void did.push(`end ${id}`),
      expiredChannels: async (_network: string, { limit }: { readonly limit: number }) => {
        limits.push(limit);
        return rows();
      },
    };
    const algod = { account: async () => ({ minBalance: facts.minBalance, round: 9_000n }) };
    const known = async () => ({ openedIn: 1n });
    const network = { network: 'here', lastRound: () => 9_000n, algod, known } as unknown as ChannelNetwork;
    const parts = { endings, store: told, log, now } as unknown as ConstructorParameters<typeof ChannelSweep>[0];
    const sweep = new ChannelSweep(parts);
    return { run: () => sweep.run([network]), did, limits, facts };
  }

  it('asks for twenty channels every ten seconds, and for one more for each that it tries again', async () => {
    const { run, limits, did, facts } = swept();
    facts.refund = 'expired';
    for (const pause of [0, 9_999, 1, 60_000]) {
      clock += pause;
      await run();
    }
    expect([limits, did]).toEqual([
      [20, 21, 21],
      ['refund C', 'refund C'],
    ]);
    facts.refund = 'confirmed';
    for (const pause of [119_999, 10_000, 10_000]) {
      clock += pause;
      await run();
    }
    expect(limits, 'none is tried again').toEqual([20, 21, 21, 21, 21, 20]);
    expect(did).toHaveLength(4);
  });

  it('forgets a channel that another replica has refunded', async () => {
    let open = ['C'];
    const { run, limits, facts } = swept(async () => open);
    facts.refund = 'expired';
    await run();
    open = [];
    for (const _ of [1, 2]) {
      clock += 10_000;
      await run();
    }
    expect(limits).toEqual([20, 21, 20]);
  });

  it('tries a channel again a minute after its refund failed, to the millisecond', async () => {
    const { run, did, facts } = swept();
    facts.refund = 'rejected';
    await run();
    clock += 59_999;
    await run();
    expect(did).toHaveLength(1);
    clock += 10_000;
    await run();
    expect(did).toHaveLength(2);
  });

  it('runs once at a time, however long it takes, and ten seconds after its end, also where it failed', async () => {
    const waiting = Promise.withResolvers<readonly string[]>();
    const { run, limits } = swept(() => waiting.promise);
    const first = run();
    clock += 60_000;
    await run();
    expect(limits).toHaveLength(1);
    clock += 60_000;
    waiting.reject(new Error('no answer'));
    await expect(first).rejects.toThrow('no answer');
    clock += 9_999;
    await run();
    expect(limits).toHaveLength(1);
    clock += 1;
    await expect(run()).rejects.toThrow('no answer');
  });

  it('refunds nothing that has ended, and notes its end', async () => {
    const { run, did, facts } = swept(async () => ['C', 'D']);
    facts.minBalance = 0n;
    await run();
    expect([did, warned()]).toEqual([['end C', 'end D'], 0]);
  });

  it('warns of a refund that is not confirmed, and tries it again with growing pauses, up to an hour', async () => {
    const shared = store();
    await shared.record(opening('OPEN', 'C'), { owner: 'us', leaseMs: 60_000 });
    await shared.change('OPEN', 'us', { to: 'submitted' });
    await shared.change('OPEN', 'us', { to: 'confirmed', confirmedRound: 1n });
    const tries: number[] = [];
    const begin = clock;
    const row = await shared.find('OPEN');
    if (row === undefined) throw new Error('there is no opening');
    const endings = {
      refund: async () => {
        tries.push((clock - begin) / 1000);
        return { ...row, state: tries.length % 2 === 0 ? ('rejected' as const) : ('submitted' as const) };
      },
    };
    const sweep = new ChannelSweep({ endings, store: shared, log, now });
    const algod = { account: async () => ({ minBalance: 200_000n }) };
    const network = { network: row.network, lastRound: () => 9_000n, algod } as unknown as ChannelNetwork;
    for (; clock < begin + 3 * 3_600_000; clock += 10_000) await sweep.run([network]);
    expect(tries).toEqual([0, 60, 180, 420, 900, 1_860, 3_780, 7_380]);
    expect(warned()).toBe(tries.length);
  });
});
