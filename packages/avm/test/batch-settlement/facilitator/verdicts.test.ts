import { AlgorandError } from '@avm402/algorand/errors';
import { transactionId } from '@avm402/algorand/transaction';
import { decodeMember } from '@avm402/algorand/signed-transaction';
import { describe, expect, it } from 'vitest';
import { channelId } from '../../../src/batch-settlement/channel-config.ts';
import { claimEnd, hasEnded, refundEnd } from '../../../src/batch-settlement/facilitator/channel-ending.ts';
import { verifyVoucher } from '../../../src/batch-settlement/facilitator/voucher-verdict.ts';
import { closer, payer, seller } from '../channel-fixture.ts';
import { config, sponsor } from '../channel-stage.ts';
import {
  claimAuthorizer,
  claimRequest,
  codeOf,
  messageOf,
  refundRequest,
  told,
  type Told,
  voucherRequest,
} from './told-network.ts';

const none = () => Promise.reject(new AlgorandError('algod_timeout', 'no answer'));
const voucher = async (facts: Told, amount = 500n) => codeOf(() => verifyVoucher(voucherRequest(told(facts), amount)));

describe('a voucher that is verified', () => {
  it.each<[string, Told, string]>([
    ['is over all that the channel holds', {}, 'ok'],
    ['comes in the round before the expiry', { known: 4999n }, 'ok'],
    ['comes in the round of the expiry', { known: 5000n }, 'channel_expiring'],
    ['comes later', { known: 5001n }, 'channel_expiring'],
    ['is of a channel that is not on record', { network: { known: async () => undefined } }, 'channel_not_found'],
    [
      'is of a channel that has ended',
      { network: { known: async () => ({ claimAuthorizer, isOpen: false, openedIn: 1n }) } },
      'channel_closed',
    ],
    ['is of an account without the asset', { algod: { accountAsset: async () => undefined } }, 'channel_closed'],
    [
      'is asked of a node that is behind its opening',
      { round: 19n, algod: { accountAsset: async () => undefined } },
      'algod_unreachable',
    ],
    ['is asked of a node that does not answer', { algod: { accountAsset: none } }, 'algod_unreachable'],
  ])('and %s', async (_what, facts, code) => {
    expect(await voucher(facts)).toBe(code);
  });

  it('is not over a unit more than the channel holds', async () => {
    expect(await voucher({}, 501n)).toBe('cumulative_exceeds_balance');
    const said = await messageOf(() => verifyVoucher(voucherRequest(told(), 501n)));
    expect(said).toContain('the voucher is for 501, the channel holds 500');
  });
});

const lives = { address: '', minBalance: 200_000n, round: 100n, amount: 200_000n };
const open: Told = { algod: { account: async () => lives } };
const MUST_OPT_IN = 'receiver error: must optin';
const claim = async (facts: Told, amount = 100n) => claimEnd(claimRequest(told({ ...open, ...facts }), amount));
const refund = async (facts: Told) => refundEnd(refundRequest(told({ ...open, ...facts })));

describe('a claim', () => {
  it.each([
    [100n, 300n],
    [4799n, 4999n],
    [4800n, 5000n],
    [4801n, 5000n],
    [4999n, 5000n],
  ])(
    'in round %s closes its channel until round %s: 200 rounds at most, and none after the expiry',
    async (round, last) => {
      const end = await claim({ round });
      expect(end).toMatchObject({
        kind: 'close',
        amount: 100n,
        firstValid: round,
        lastValid: last,
        feePayer: closer.address,
      });
      const [fee, transfer] = end.group.members;
      expect(end.txId).toBe(transfer && transactionId(transfer.txn));
      expect(fee?.txn).toMatchObject({ firstValid: round, lastValid: last, genesisId: 'here-v1', fee: 3000n });
      expect([[...end.group.ours.keys()], end.group.parties]).toEqual([[0], undefined]);
    },
  );

  it('in the round of the expiry comes too late', async () => {
    expect(await codeOf(() => claim({ round: 5000n }))).toBe('channel_expiring');
  });

  it('carries its voucher with the member that moves the asset, and with no other', async () => {
    const { group } = await claim({});
    const lengths = group.members.map(({ bytes }) => decodeMember(bytes).signed.logicSignature?.length ?? 0);
    expect(lengths[0]).toBe(0);
    expect((lengths[1] ?? 0) - (lengths[2] ?? 0)).toBeGreaterThan(64 + 8);
  });

  it('pays what the network asks for members of 800 bytes, and never more than the ALGO that come back', async () => {
    const { group } = await claim({ fees: { fee: 83n } });
    expect(group.fee).toBe(3n * 83n * 800n);
    expect(await codeOf(() => claim({ fees: { fee: 84n } }))).toBe('fee_too_high');
    expect((await claim({ fees: { minFee: 66_666n } })).group.fee).toBe(199_998n);
    expect(await codeOf(() => claim({ fees: { minFee: 66_667n } }))).toBe('fee_too_high');
  });

  it.each([MUST_OPT_IN, 'asset 5 frozen in here'])(
    'hands its channel over where the payer can’t receive (%s) and it is worth the ALGO',
    async (reason) => {
      expect(await claim({ failures: [undefined, reason] })).toMatchObject({ kind: 'hand-over', amount: 100n });
      expect(await codeOf(() => claim({ failures: [undefined, reason] }, 99n))).toMatch(
        /receiver_not_opted_in|asset_frozen/,
      );
      expect((await claim({ failures: [undefined, reason], policy: { handOverAmount: 0n } }, 0n)).kind).toBe(
        'hand-over',
      );
    },
  );

  it('is refused for the reason of the close, also where its account can’t be handed over', async () => {
    expect(await codeOf(() => claim({ failures: ['asset 5 frozen in here', MUST_OPT_IN] }))).toBe(
      'receiver_not_opted_in',
    );
    const poor = `overspend (account ${closer.address}, data)`;
    expect(await codeOf(() => claim({ failures: [undefined, poor] }))).toBe('sponsor_unfunded');
  });

  it.each<[string, Told, string]>([
    [
      'whose channel has ended',
      { algod: { account: async () => ({ ...lives, amount: 0n, minBalance: 100_000n, round: 20n }) } },
      'channel_closed',
    ],
    [
      'where a node has not seen the opening yet',
      { algod: { account: async () => ({ ...lives, amount: 0n, minBalance: 100_000n, round: 19n }) } },
      'algod_unreachable',
    ],
    ['whose channel is not on record', { network: { known: async () => undefined } }, 'channel_not_found'],
    [
      'that another key should have signed',
      { network: { known: async () => ({ claimAuthorizer: sponsor, isOpen: true, openedIn: 1n }) } },
      'claim_authorization',
    ],
    ['where a node tells no round', { algod: { params: none } }, 'algod_unreachable'],
    ['where a node tells no account', { algod: { account: none } }, 'algod_unreachable'],
  ])('is refused %s', async (_what, facts, code) => {
    expect(await codeOf(() => claim(facts))).toBe(code);
  });
});

describe('a refund', () => {
  it.each([
    [5000n, 5001n],
    [5001n, 5001n],
    [5002n, 5002n],
  ])('in round %s is valid from round %s on, for 200 rounds', async (round, first) => {
    const end = await refund({ round });
    expect(end).toMatchObject({
      kind: 'refund',
      amount: 0n,
      firstValid: first,
      lastValid: first + 200n,
      feePayer: sponsor,
    });
    expect(end.group.members.map(({ txn }) => txn.fee)).toEqual([3000n, 0n, 0n]);
  });

  it.each<[string, Told, string]>([
    ['a round before the expiry', { round: 4999n }, 'channel_not_expired'],
    [
      'whose channel has ended',
      { algod: { account: async () => ({ ...lives, amount: 0n, minBalance: 100_000n, round: 20n }) } },
      'channel_closed',
    ],
    ['that the chain refuses', { failures: [MUST_OPT_IN] }, 'receiver_not_opted_in'],
    ['where a node tells no round', { algod: { params: none } }, 'algod_unreachable'],
  ])('is refused %s', async (_what, facts, code) => {
    expect(await codeOf(() => refund({ round: 5000n, ...facts }))).toBe(code);
  });

  it('says when it is due', async () => {
    expect(await messageOf(() => refund({ round: 4999n }))).toContain('expires in round 5000, the chain is at 4999');
  });
});

it.each([
  ['is empty', { amount: 0n, minBalance: 100_000n }, true],
  ['can hold its asset', {}, false],
  ['holds only ALGO, which anybody can send', { amount: 199_999n, minBalance: 100_000n }, true],
  ['was handed to its payer', { authAddress: payer.address }, true],
  ['was handed on by its payer', { authAddress: seller.address }, true],
])('a channel whose account %s has ended or not', async (_what, facts, ended) => {
  const network = told({ algod: { account: async () => ({ ...lives, ...facts }) } });
  expect(await hasEnded({ network, config, channelId: channelId(config) })).toBe(ended);
});

it('a channel of which nothing is on record or on chain is not known to have ended', async () => {
  const network = told({
    algod: { account: async () => ({ ...lives, amount: 0n, minBalance: 100_000n }) },
    network: { known: async () => undefined },
  });
  expect(await codeOf(() => hasEnded({ network, config, channelId: channelId(config) }))).toBe('channel_not_found');
});
