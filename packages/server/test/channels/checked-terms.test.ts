import { encodeChannelConfig, encodeChannelTerms } from '@avm402/avm/batch-settlement';
import { networkOfGenesis } from '@avm402/core/network';
import { describe, expect, it } from 'vitest';
import type { Channel } from '../../src/channels/record/channel.ts';
import { CheckedConfigs } from '../../src/channels/serving/channel-payment.ts';
import { RoundEstimate } from '../../src/channels/rounds/round-estimate.ts';
import { reportedRound } from '../../src/facilitator/reported-round.ts';
import { channel, NOW } from '../support/channels.ts';
import { account } from '../support/payments.ts';

const { config, requirements } = channel(1);
const network = networkOfGenesis(config.genesisHash);
const closer = config.receiverAuthorizer;
const terms = { receiverAuthorizer: closer, claimAuthorizer: closer, feePayer: closer, funder: config.funder };
const { genesisHash } = config;
const extra = encodeChannelTerms({ ...terms, genesisHash, minDeposit: 1n, minRounds: 1000n });
const offer = { ...requirements, network, extra };

describe('a configuration that was checked for one offer', () => {
  it.each([
    ['asset', { asset: '31566704' }],
    ['receiver', { payTo: account(9).address }],
    ['closer', { extra: { ...extra, receiverAuthorizer: account(9).address } }],
  ])('is checked again for an offer with another %s', (_what, other) => {
    const configs = new CheckedConfigs();
    const wire = encodeChannelConfig(config);
    expect(configs.read(wire, offer)).toEqual({ config, channelId: channel(1).channelId });
    expect(configs.read(wire, offer)).toBe(configs.read(wire, offer));
    expect(() => configs.read(wire, { ...offer, ...other })).toThrow(
      expect.objectContaining({ code: 'invalid_batch_settlement_avm_channel_config' }),
    );
  });
});

describe('a channel is taken for expiring', () => {
  const expiry = 100_000n;
  const opened = (round: bigint, minRounds?: string): Channel => ({
    ...channel(1, { openedRound: round, openedAt: NOW }),
    config: { ...config, expiry },
    requirements: { ...requirements, extra: minRounds === undefined ? {} : { minRounds } },
  });
  const isExpiring = (row: Channel, margin?: bigint, now = NOW) =>
    new RoundEstimate({ now: () => now, monotonicNow: () => 0 }, margin).isExpiring(row);

  it.each([
    ['1,000 rounds before its expiry', '30000', undefined, 1_000n],
    ['1,000 rounds before it where the offer says nothing', undefined, undefined, 1_000n],
    ['half of a short lifetime before it', '1000', undefined, 500n],
    ['as many rounds before it as its seller says', '1000', 7n, 7n],
  ])('%s, and not a round earlier', (_when, minRounds, margin, rounds) => {
    expect(isExpiring(opened(expiry - rounds, minRounds), margin)).toBe(true);
    expect(isExpiring(opened(expiry - rounds - 1n, minRounds), margin)).toBe(false);
  });

  it('a round for each 2.5 seconds later, and not by a clock that went back', () => {
    const row = opened(expiry - 1_002n);
    expect([2_499, 4_999, 5_000].map((ms) => isExpiring(row, undefined, NOW + ms))).toEqual([false, false, true]);
    expect(isExpiring(row, undefined, NOW - 1_000_000)).toBe(false);
  });

  it('by the time since a round was seen, though the clock on the wall went back', () => {
    let [wall, steady] = [NOW, 0];
    const rounds = new RoundEstimate({ now: () => wall, monotonicNow: () => steady }, undefined);
    rounds.observe(config.genesisHash, expiry - 1_002n);
    [wall, steady] = [0, 5_000];
    expect(rounds.isExpiring(opened(1n))).toBe(true);
  });

  it('by a later round that its own network has shown, and no other', () => {
    let now = NOW;
    const rounds = new RoundEstimate({ now: () => NOW, monotonicNow: () => now }, undefined);
    const row = opened(1n);
    rounds.observe(new Uint8Array(32).fill(8), expiry);
    expect(rounds.isExpiring(row)).toBe(false);
    rounds.observe(config.genesisHash, expiry - 1_001n);
    expect(rounds.isExpiring(row)).toBe(false);
    rounds.observe(config.genesisHash, 5n);
    now += 2_500;
    expect(rounds.isExpiring(row)).toBe(true);
  });

  it('by the first time that a round was seen, however often it is seen again', () => {
    let now = NOW;
    const rounds = new RoundEstimate({ now: () => NOW, monotonicNow: () => now }, undefined);
    for (const ms of [0, 2_499]) {
      now = NOW + ms;
      rounds.observe(config.genesisHash, expiry - 1_002n);
    }
    now = NOW + 5_000;
    expect(rounds.isExpiring(opened(1n))).toBe(true);
  });
});

it.each([
  ['0', 0n],
  ['18446744073709551615', 18_446_744_073_709_551_615n],
  ['184467440737095516150', undefined],
  ['', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  [7, undefined],
  [undefined, undefined],
])('a facilitator that tells the round %s tells %s', (confirmedRound, round) => {
  const answer = { success: true, transaction: '', network };
  expect(reportedRound({ ...answer, extra: { confirmedRound } })).toBe(round);
  expect(reportedRound(answer)).toBeUndefined();
});
