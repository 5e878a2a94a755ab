import { expect, it } from 'vitest';
import { channelPolicyOn } from '../../src/schemes/channel-options.ts';

const assets = new Set(['5']);
const sponsor = { minAmount: 1_000n, assets };
const [publicly, development] = [{ development: false }, { development: true }];

it('on a public network channels are opened once a least deposit is named: for a day to a week, three a payer, of 100 Algo, in the assets that are sponsored', () => {
  expect(channelPolicyOn(publicly, {}, sponsor)).toBeUndefined();
  expect(channelPolicyOn(publicly, { minDeposit: 5n }, sponsor)).toEqual({
    policy: { minDeposit: 5n, minRounds: 30_000n, maxRounds: 216_000n, maxAge: 10n, handOverAmount: 100_000n, assets },
    limits: { ofPayer: 3, ofReceiver: 250, total: 500 },
  });
});

it('on a development network they are opened without limit, for a thousand rounds or more, in any asset', () => {
  expect(channelPolicyOn(development, {}, { minAmount: 1n, assets })).toEqual({
    policy: { minDeposit: 1n, minRounds: 1_000n, maxRounds: 216_000n, maxAge: 1_000n, handOverAmount: 100n },
    limits: { ofPayer: Infinity, ofReceiver: Infinity, total: Infinity },
  });
});

it('what the operator says counts on both', () => {
  const options = {
    minDeposit: 7n,
    minRounds: 150_000n,
    ofPayer: 1,
    ofReceiver: 2,
    lent: 799_999n,
    handOverAmount: 9n,
  };
  for (const network of [publicly, development]) {
    expect(channelPolicyOn(network, options, sponsor)).toMatchObject({
      policy: {
        minDeposit: 7n,
        minRounds: 150_000n,
        maxRounds: 300_000n,
        maxAge: expect.any(BigInt),
        handOverAmount: 9n,
      },
      limits: { ofPayer: 1, ofReceiver: 2, total: 3 },
    });
    expect(channelPolicyOn(network, { ...options, maxRounds: 150_000n }, sponsor)?.policy.maxRounds).toBe(150_000n);
  }
  const odd = channelPolicyOn(publicly, { minDeposit: 1n, lent: 700_000n }, sponsor);
  expect(odd?.limits).toEqual({ ofPayer: 3, ofReceiver: 2, total: 3 });
});

it('fewer rounds at most than at least are refused by their name, also where the least is the network’s', () => {
  const refused = expect.objectContaining({
    code: 'environment_invalid',
    message: expect.stringMatching(/^CHANNEL_MAX_ROUNDS: /),
  });
  for (const options of [{ minRounds: 9n, maxRounds: 8n }, { maxRounds: 999n }])
    for (const network of [publicly, development])
      expect(() => channelPolicyOn(network, { minDeposit: 1n, ...options }, sponsor)).toThrow(refused);
});
