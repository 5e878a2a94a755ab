import { describe, expect, it, test } from 'vitest';
import type { Spending } from '../../src/budget/spending.ts';
import { BuyerChannel } from '../../src/channels/buyer-channel.ts';
import type { ChannelRecord } from '../../src/channels/channel-record.ts';
import { memoryChannelStore } from '../../src/channels/channel-store.ts';
import { judgeDispute } from '../../src/channels/judge-dispute.ts';
import { learnDeposit } from '../../src/channels/learn-deposit.ts';
import { recordPaidOut } from '../../src/channels/record-paid-out.ts';
import type { PaymentOutcome } from '../../src/own-node/payment-outcome.ts';
import { channelOf, deposit, nodeThat, offered, recordOf, type Shown, signer, spendingThat } from './channel-parts.ts';

const OPEN = { state: 'open' } as const;
const pending = deposit('B', { amount: 500n, settled: false });

/** The verdict on a channel of which the own node shows this, and what became of the channel. */
async function judged(shown: Shown | undefined, change: Partial<ChannelRecord> = {}, outcome: PaymentOutcome = OPEN) {
  const channel = channelOf(change);
  const { spending, returned, happened } = spendingThat(outcome);
  const algod = shown && nodeThat(shown).algod;
  const verdict = await judgeDispute(channel, offered(), { spending, algodOf: () => algod });
  return { verdict, state: channel.record.state, returned, happened };
}

describe('a dispute about a channel', () => {
  it('is decided by nobody where no node is asked: the channel stays open', async () => {
    expect(await judged(undefined)).toMatchObject({ verdict: 'open', state: 'open' });
  });

  it.each<[string, Shown, Partial<ChannelRecord>, object]>([
    ['is far from its expiry', { round: 5n, balance: 1_000n }, {}, { verdict: 'open', state: 'open', returned: [] }],
    ['holds nothing', { round: 5n }, {}, { verdict: 'over', state: 'closed', returned: [['A', 1_000n]] }],
    [
      'holds nothing yet, and a deposit may come',
      { round: 5n },
      { deposits: [pending] },
      { verdict: 'open', state: 'open', returned: [] },
    ],
    [
      'was handed over',
      { round: 5n, balance: 1n, isHandedOver: true },
      {},
      { verdict: 'over', state: 'closing', returned: [] },
    ],
  ])('ends as the own node shows that it %s', async (_name, shown, change, verdict) => {
    expect(await judged(shown, change)).toMatchObject(verdict);
  });

  it('asks first what became of a deposit under way', async () => {
    const confirmed = { state: 'confirmed', round: 4n } as const;
    const { happened, verdict } = await judged(
      { round: 5n, balance: 1_500n },
      { deposits: [deposit('A'), pending] },
      confirmed,
    );
    expect([happened, verdict]).toEqual([['learn B'], 'open']);
    expect((await judged({ round: 5n, balance: 1_500n })).happened).toEqual([]);
    // Its block is later than what this node shows.
    const behind = await judged({ round: 3n }, { deposits: [pending] }, confirmed);
    expect(behind).toMatchObject({ verdict: 'open', state: 'open' });
  });

  it.each([
    [0n, 0n],
    [2n, 2n],
    [1_000n, 1_000n],
    [1_998n, 1_998n],
    [2_000n, 2_000n],
    [2_002n, 2_001n],
    [3_000n, 2_500n],
    [3_001n, 2_500n],
    [10_000n, 6_000n],
  ])('of one that was to live %s rounds ends less than %s rounds before its expiry', async (minRounds, rounds) => {
    const opened = { method: 'GET', url: 'https://shop.example/', requirements: offered(minRounds) };
    const { expiry } = recordOf().config;
    const at = (round: bigint) => judged({ round, balance: 1_000n }, { opened });
    expect([(await at(expiry - rounds)).verdict, (await at(expiry - rounds + 1n)).verdict]).toEqual(['open', 'over']);
  });

  it('of one that nobody knows the terms of, or whose terms nobody would take, ends', async () => {
    const { opened, ...found } = recordOf();
    const strange = {
      ...opened,
      method: 'GET',
      url: 'https://shop.example/',
      requirements: offered(0n, { extra: {} }),
    };
    const { algod } = nodeThat({ round: 5n, balance: 1_000n });
    const options = { spending: spendingThat(OPEN).spending, algodOf: () => algod };
    for (const record of [found, { ...found, opened: strange }]) {
      const channel = new BuyerChannel({ record, store: memoryChannelStore(), signer });
      expect(await judgeDispute(channel, offered(), options)).toBe('over');
    }
  });
});

describe('a deposit that left', () => {
  /** What is learned of a deposit of 500 beside one of 1,000 that is settled. */
  async function learned(outcome: PaymentOutcome, shown?: Shown | 'fails', isFull = false) {
    const kept = memoryChannelStore();
    const store = {
      ...kept,
      write: () => (isFull ? Promise.reject(new Error('the disk is full')) : Promise.resolve()),
    };
    const channel = channelOf({ deposits: [deposit('A'), pending] }, store);
    const { spending } = spendingThat(outcome);
    const { algod } = nodeThat(typeof shown === 'object' ? shown : { round: 5n });
    const own = shown === 'fails' ? { ...algod, params: () => Promise.reject(new Error('asleep')) } : algod;
    const options = { spending, algodOf: () => (shown === undefined ? undefined : own) };
    const state = await learnDeposit(channel, pending, options);
    return {
      state,
      channel,
      deposits: channel.record.deposits.length,
      sum: channel.spending.deposit,
      seenAt: channel.seenAt,
    };
  }

  it('counts once the own node has seen it, in the round that it names', async () => {
    const { channel: _, ...known } = await learned({ state: 'confirmed', round: 7n });
    expect(known).toEqual({ state: 'confirmed', deposits: 2, sum: 1_500n, seenAt: 7n });
  });

  it('costs no answer where that can’t be put on record', async () => {
    const { state, sum } = await learned({ state: 'confirmed', round: 7n }, undefined, true);
    expect([state, sum]).toEqual(['confirmed', 1_000n]);
  });

  it('is dropped once the own node has seen it expire, which must be put on record', async () => {
    expect(await learned({ state: 'expired' })).toMatchObject({ state: 'expired', deposits: 1, sum: 1_000n });
    await expect(learned({ state: 'expired' }, undefined, true)).rejects.toThrow('the disk is full');
  });

  it.each<[string, Shown | 'fails' | undefined, string]>([
    ['holds both', { round: 8n, balance: 1_500n }, 'confirmed'],
    ['holds more', { round: 8n, balance: 1_501n }, 'confirmed'],
    ['holds less than both', { round: 8n, balance: 1_499n }, 'open'],
    ['was handed over', { round: 8n, balance: 1_500n, isHandedOver: true }, 'open'],
    ['holds nothing', { round: 8n }, 'open'],
    ['is on another network', { round: 8n, balance: 1_500n, isOtherNetwork: true }, 'open'],
    ['can’t be shown', 'fails', 'open'],
    ['is shown by nobody', undefined, 'open'],
  ])('of which the own node has forgotten the block is known by a channel that %s: %s', async (_name, shown, state) => {
    const known = await learned(OPEN, shown);
    expect([known.state, known.seenAt]).toEqual(state === 'confirmed' ? [state, 8n] : [state, 0n]);
  });

  const after = pending.lastValid;
  it.each<[string, Shown, string]>([
    ['holds both', { round: after, balance: 1_500n }, 'confirmed'],
    ['holds less than both', { round: after, balance: 1_499n }, 'forgotten'],
    ['holds nothing', { round: after }, 'forgotten'],
    ['is shown from before its end', { round: after - 1n }, 'open'],
    ['was handed over', { round: after, balance: 1_000n, isHandedOver: true }, 'open'],
  ])('whose end nobody can tell any more is decided by a channel that %s: %s', async (_name, shown, state) => {
    expect((await learned({ state: 'forgotten' }, shown)).state).toBe(state);
  });
});

it.each<[bigint, readonly (readonly [string, bigint])[]]>([
  [
    0n,
    [
      ['A', 1_000n],
      ['C', 300n],
    ],
  ],
  [
    999n,
    [
      ['A', 1n],
      ['C', 300n],
    ],
  ],
  [1_000n, [['C', 300n]]],
  [1_100n, [['C', 200n]]],
  [1_300n, []],
])('what was not signed for comes back to the budgets, from the last deposit: %s was signed', async (signed, back) => {
  const deposits = [deposit('A'), { ...pending }, deposit('C', { amount: 300n })];
  const channel = channelOf({ deposits, signed, signedUpTo: signed });
  const { spending, returned } = spendingThat(OPEN);
  await recordPaidOut(channel, spending);
  expect([channel.record.state, returned]).toEqual(['closed', back]);
});

test('what can’t be given back to the budgets is told to whoever records that the channel was paid out', async () => {
  const spending = { returned: () => Promise.reject(new Error('the disk is full')) } as unknown as Spending;
  await expect(recordPaidOut(channelOf(), spending)).rejects.toThrow('the disk is full');
});
