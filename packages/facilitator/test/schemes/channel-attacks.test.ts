import { accountFromSeed, parseAccount } from '@avm402/algorand/account';
import type { AlgodClient } from '@avm402/algorand/algod';
import { parseAddress } from '@avm402/algorand/address';
import { assignGroup } from '@avm402/algorand/group';
import { decodeMember } from '@avm402/algorand/signed-transaction';
import type { Transaction } from '@avm402/algorand/transaction';
import { channelId, claimAuthorizerOf, openingGroup, signVoucher } from '@avm402/avm/batch-settlement';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentAccounts } from '@avm402/devnode';
import { createFacilitator, createMemorySettlementStore } from '../../src/index.ts';
import { ChannelStage, DEPOSIT, nobody, sessionKey, strangersKey } from './channel-stage.ts';

const reason = (code: string) => ({ success: false, errorReason: `invalid_batch_settlement_avm_${code}` });

const store = createMemorySettlementStore();
let stage: ChannelStage;
beforeAll(async () => {
  // Its sweep would make blocks by refunding what has expired; it comes three times in a lease.
  stage = await ChannelStage.start({ facilitator: { store, leaseMs: 600_000 } });
});
afterAll(() => stage[Symbol.asyncDispose]());

/** The same members under a group id of their own. */
function regrouped(members: readonly Transaction[]): Transaction[] {
  return assignGroup(
    members.map((member) => {
      const { group: _, ...rest } = member;
      return rest;
    }),
  );
}

/** A group with one member that says something else. */
function changed(index: number, change: object): (members: Transaction[]) => Transaction[] {
  return (members) => regrouped(members.map((member, at) => (at === index ? { ...member, ...change } : member)));
}

function isThere(member: Transaction | undefined): member is Transaction {
  return member !== undefined;
}

describe('a claim', () => {
  const refused = async (change: Parameters<ChannelStage['claim']>[2], amount = 100n) => {
    const config = await stage.open();
    const before = stage.usdc(stage.seller);
    const claim = stage.claim(config, amount, change);
    const answer = await stage.settle(claim);
    expect(await stage.verify(claim)).toMatchObject({ isValid: false, invalidReason: answer.errorReason });
    expect(stage.usdc(stage.seller)).toBe(before);
    expect(stage.usdc(channelId(config))).toBe(DEPOSIT);
    expect(await stage.settle(stage.claim(config, 1n))).toMatchObject({ success: true });
    return answer;
  };

  it('of the payer with its smallest voucher is refused: it does not carry the seller’s word', async () => {
    expect(await refused({ key: sessionKey })).toMatchObject(reason('claim_authorization'));
  });

  it('of a stranger, or whose authorization is for another amount or channel, is refused', async () => {
    expect(await refused({ key: strangersKey })).toMatchObject(reason('claim_authorization'));
    const other = stage.claim(await stage.config(), 100n);
    expect(await refused({ authorization: other.authorization })).toMatchObject(reason('claim_authorization'));
    const config = await stage.open();
    const more = stage.claim(config, 200n);
    const voucher = signVoucher(sessionKey, channelId(config), 300n);
    const claim = stage.claim(config, 100n, { voucher, authorization: more.authorization });
    expect(await stage.settle(claim)).toMatchObject(reason('claim_authorization'));
  });

  it('above its voucher by one, or of an amount without a voucher, is refused', async () => {
    const config = await stage.open();
    const voucher = signVoucher(sessionKey, channelId(config), 100n);
    expect(await stage.settle(stage.claim(config, 101n, { voucher }))).toMatchObject(reason('voucher_too_low'));
    expect(await stage.settle(stage.claim(config, 1n, { voucher: undefined }))).toMatchObject(
      reason('voucher_too_low'),
    );
    expect(await stage.settle(stage.claim(config, 100n, { voucher }))).toMatchObject({ success: true });
  });

  it('with another channel’s voucher, or one that another key signed, is refused', async () => {
    const [config, other] = [await stage.open(), await stage.open()];
    const elsewhere = signVoucher(sessionKey, channelId(other), 100n);
    expect(await stage.settle(stage.claim(config, 100n, { voucher: elsewhere }))).toMatchObject(
      reason('channel_id_mismatch'),
    );
    const forged = signVoucher(strangersKey, channelId(config), 100n);
    expect(await stage.settle(stage.claim(config, 100n, { voucher: forged }))).toMatchObject(
      reason('voucher_signature'),
    );
  });

  it('under the address of another receiver than the channel’s is refused, before and after the close; so is a refund', async () => {
    const config = await stage.open();
    const claim = stage.claim(config, 100n);
    const requirements = await stage.requirements({ payTo: stage.harness.account('payer2').address });
    expect(await stage.settle(claim, { requirements })).toMatchObject(reason('channel_config'));
    expect(await stage.verify(claim, requirements)).toMatchObject({ isValid: false });
    expect(stage.usdc(channelId(config))).toBe(DEPOSIT);
    expect(await stage.settle(claim)).toMatchObject({ success: true });
    expect(await stage.settle(claim, { requirements })).toMatchObject(reason('channel_config'));
    const refund = { type: 'refund', channelConfig: config } as const;
    expect(await stage.settle(refund, { requirements })).toMatchObject(reason('channel_config'));
    for (const change of [{ asset: '1' }, { extra: { ...requirements.extra, funder: nobody } }]) {
      expect(await stage.settle(claim, { requirements: await stage.requirements(change) })).toMatchObject(
        reason('channel_config'),
      );
    }
  });

  it('for a channel that was never opened here is refused', async () => {
    expect(await stage.settle(stage.claim(await stage.config(), 0n))).toMatchObject(reason('channel_not_found'));
  });

  it('that is replayed by a stranger after the close tells it nothing', async () => {
    const config = await stage.open();
    await stage.settle(stage.claim(config, 100n));
    expect(await stage.settle(stage.claim(config, 50n, { key: strangersKey }))).toMatchObject(
      reason('claim_authorization'),
    );
  });
});

describe('a deposit', () => {
  it('into the address of a channel that is open, or was closed, is refused', async () => {
    const config = await stage.open();
    expect(await stage.settle(await stage.opening(config, 1n))).toMatchObject(reason('channel_used'));
    expect(await stage.settle(stage.claim(config, 1n))).toMatchObject({ success: true });
    expect(await stage.verify(await stage.opening(config, 2n))).toMatchObject({
      invalidReason: 'invalid_batch_settlement_avm_channel_used',
    });
    expect(await stage.settle(await stage.opening(config, 2n))).toMatchObject(reason('channel_used'));
    expect(await stage.settle(await stage.toppingUp(config, 2n))).toMatchObject(reason('channel_closed'));
  });

  it('into an address that has ALGO already is refused', async () => {
    const config = await stage.config();
    await stage.harness.devnode.fund(channelId(config), 100_000n);
    expect(await stage.settle(await stage.opening(config))).toMatchObject(reason('channel_used'));
  });

  it('that adds to a channel nobody opened here, or of another seller’s claim key, is refused', async () => {
    const config = await stage.config();
    expect(await stage.settle(await stage.toppingUp(config, 1n))).toMatchObject(reason('channel_not_found'));
    const opened = await stage.open();
    const requirements = await stage.requirements();
    const extra = { ...requirements.extra, claimAuthorizer: claimAuthorizerOf(strangersKey) };
    const answer = await stage.settle(await stage.toppingUp(opened, 1n), { requirements: { ...requirements, extra } });
    expect(answer).toMatchObject(reason('channel_not_found'));
  });

  it('that was settled under another claim key is not the seller’s', async () => {
    const requirements = await stage.requirements();
    const extra = { ...requirements.extra, claimAuthorizer: claimAuthorizerOf(sessionKey) };
    const opening = await stage.opening(await stage.config());
    expect(await stage.settle(opening, { requirements: { ...requirements, extra } })).toMatchObject({ success: true });
    expect(await stage.settle(opening, { requirements })).toMatchObject({ errorReason: 'requirements_changed' });
  });

  it('by an account of ours, or to one, is refused: nothing but fee and loan is ever signed', async () => {
    const { harness } = stage;
    const before = stage.algo(stage.sponsor);
    const ours = harness.account('facilitator');
    const byUs = await stage.opening(await stage.config({ payer: ours.address }), 1n, (members) => members, ours);
    const refused = { errorReason: 'invalid_batch_settlement_avm_channel_config', transaction: '' };
    expect(await stage.settle(byUs)).toMatchObject(refused);
    const requirements = await stage.requirements({ payTo: ours.address });
    const toUs = await stage.opening(await stage.config({ receiver: ours.address }));
    expect(await stage.settle(toUs, { requirements })).toMatchObject(refused);
    expect(stage.algo(stage.sponsor)).toBe(before);
  });

  const forgeries: [string, (members: Transaction[]) => Transaction[]][] = [
    ['an extra member', (members) => regrouped(members.toSpliced(2, 0, ...members.slice(0, 1)))],
    ['the ALGO for somebody else', changed(1, { receiver: nobody })],
    ['more ALGO', changed(1, { amount: 300_000n })],
    ['a lease of the sponsor', changed(0, { lease: parseAddress(nobody) })],
    ['a note of the sponsor', changed(0, { note: new Uint8Array([1]) })],
    ['a rekeyed sponsor', changed(0, { rekeyTo: nobody })],
    ['another amount', changed(3, { amount: 1n })],
    ['another receiver', changed(3, { receiver: nobody })],
    ['members that trade places', ([first, second, ...rest]) => regrouped([second, first, ...rest].filter(isThere))],
  ];
  it.each(forgeries)('whose group has %s is refused', async (_, forge) => {
    const before = stage.algo(stage.sponsor);
    const opening = await stage.opening(await stage.config(), DEPOSIT, forge);
    expect(await stage.settle(opening)).toMatchObject(reason('deposit_group'));
    expect(stage.algo(stage.sponsor)).toBe(before);
  });

  it('whose fee is above what the network asks for is refused', async () => {
    const config = await stage.config();
    const terms = await stage.terms(2_000n);
    const group = openingGroup(config, { feePayer: stage.sponsor, deposit: DEPOSIT }, terms);
    expect(await stage.settle(stage.deposit(config, DEPOSIT, group))).toMatchObject({
      errorReason: 'invalid_batch_settlement_avm_fee_too_high',
    });
  });

  it('of more than the payer has is refused, and leaves nothing behind', async () => {
    const opening = await stage.opening(await stage.config(), 2n ** 60n);
    expect(await stage.settle(opening)).toMatchObject({
      errorReason: 'invalid_batch_settlement_avm_insufficient_balance',
      transaction: '',
    });
  });

  it('whose closer or funder is not this facilitator is refused', async () => {
    const stranger = accountFromSeed(new Uint8Array(32).fill(77)).address;
    for (const change of [{ receiverAuthorizer: stranger }, { funder: stranger }]) {
      const opening = await stage.opening(await stage.config(change));
      expect(await stage.settle(opening)).toMatchObject({ success: false });
      expect((await stage.settle(opening)).errorReason).toMatch(/channel_config|deposit_group/);
    }
  });
});

describe('a deposit whose offer names the same stranger as it does', () => {
  const stranger = accountFromSeed(new Uint8Array(32).fill(77)).address;
  it.each(['receiverAuthorizer', 'funder'])('as %s is refused', async (party) => {
    const { extra, ...offer } = await stage.requirements();
    const requirements = { ...offer, extra: { ...extra, [party]: stranger } };
    const answer = await stage.settle(await stage.opening(await stage.config({ [party]: stranger })), { requirements });
    expect(answer).toMatchObject(reason('channel_config'));
  });

  it('as fee payer is refused', async () => {
    const { extra, ...offer } = await stage.requirements();
    const requirements = { ...offer, extra: { ...extra, feePayer: stranger } };
    const config = await stage.config();
    const group = openingGroup(config, { feePayer: stranger, deposit: DEPOSIT }, await stage.terms());
    const answer = await stage.settle(stage.deposit(config, DEPOSIT, group), { requirements });
    expect(answer).toMatchObject(reason('deposit_group'));
  });
});

describe('the rounds of a channel, exactly', () => {
  const until = async (round: bigint): Promise<void> => {
    const { lastRound } = await stage.harness.algod.params();
    await stage.harness.devnode.mine(Number(round - lastRound));
  };

  it('it takes a top-up and a claim until the round before its expiry, and is refunded from that round on', async () => {
    const { expiry } = await stage.config();
    const [topped, late, claimed, unclaimed] = [
      await stage.open({ expiry }),
      await stage.open({ expiry }),
      await stage.open({ expiry: expiry + 2n }),
      await stage.open({ expiry: expiry + 2n }),
    ];
    await until(expiry - 1n);
    expect(await stage.settle(await stage.toppingUp(topped, 1n))).toMatchObject({ success: true });
    expect(await stage.settle(await stage.toppingUp(late, 1n))).toMatchObject(reason('channel_expiring'));
    await until(expiry + 1n);
    expect(await stage.settle({ type: 'refund', channelConfig: unclaimed })).toMatchObject(
      reason('channel_not_expired'),
    );
    expect(await stage.settle(stage.claim(claimed, 100n))).toMatchObject({ success: true });
    expect(await stage.settle(stage.claim(unclaimed, 100n))).toMatchObject(reason('channel_expiring'));
    expect(await stage.settle({ type: 'refund', channelConfig: unclaimed })).toMatchObject({ success: true });
  });
});

describe('what verify asks a node', () => {
  it('is not signed by the sponsor: no deposit, claim or refund that is only verified can be sent', async () => {
    const asked: Uint8Array[] = [];
    const { algod } = stage.harness;
    const simulate: AlgodClient['simulate'] = (request) => {
      asked.push(...request.transactions);
      return algod.simulate(request);
    };
    const facilitator = createFacilitator({
      networks: [{ algods: [{ ...algod, simulate }] }],
      sponsorship: { account: stage.harness.account('facilitator') },
      store,
    });
    const verify = async (payload: Parameters<ChannelStage['verify']>[0]) => {
      const { payload: message, requirements } = await stage.message(payload);
      expect(await facilitator.verify(message, requirements)).toMatchObject({ isValid: true });
    };
    const config = await stage.open();
    await verify(await stage.opening(await stage.config()));
    await verify(await stage.toppingUp(config, 1n));
    await verify(stage.claim(config, 100n));
    await stage.expire(config);
    await verify({ type: 'refund', channelConfig: config });
    await facilitator.close();
    const ours = asked.map((bytes) => decodeMember(bytes).signed).filter(({ txn }) => txn.sender === stage.sponsor);
    expect(ours.length).toBeGreaterThan(4);
    expect(ours.filter(({ signature }) => signature !== undefined)).toEqual([]);
  });
});

describe('a policy', () => {
  it('lends within its limits: receivers, least deposit, rounds, channels of a payer, and all together', async () => {
    await using strict = await ChannelStage.start({
      facilitator: {
        channels: { minDeposit: 1_000_000n, minRounds: 500n, maxRounds: 2_000n, ofPayer: 2, lent: 500_000n },
      },
    });
    const outcome = async (change: Parameters<ChannelStage['config']>[0] = {}, amount = 1_000_000n) =>
      (await strict.settle(await strict.opening(await strict.config(change), amount))).errorReason ?? 'ok';
    const { lastRound } = await strict.harness.algod.params();
    const lent = 'invalid_batch_settlement_avm_sponsorship';
    expect(await outcome({}, 999_999n)).toMatch(/sponsorship|deposit_below_minimum/);
    const { extra, ...offer } = await strict.requirements();
    const modest = { ...offer, extra: { ...extra, minDeposit: '1' } };
    const small = await strict.opening(await strict.config(), 999_999n);
    expect(await strict.settle(small, { requirements: modest })).toMatchObject({ errorReason: lent });
    expect(await outcome({ expiry: lastRound + 400n })).toBe('invalid_batch_settlement_avm_channel_expiring');
    expect(await outcome({ expiry: lastRound + 9_000n })).toBe(lent);
    const elsewhere = strict.harness.account('payer2').address;
    const requirements = await strict.requirements({ payTo: elsewhere });
    const opening = await strict.opening(await strict.config({ receiver: elsewhere }));
    expect(await strict.settle(opening, { requirements })).toMatchObject({ errorReason: lent });
    expect(await outcome()).toBe('ok');
    const second = await strict.open();
    expect(await outcome()).toBe(lent);
    expect(await strict.settle(strict.claim(second, 0n, { voucher: undefined }))).toMatchObject({ success: true });
    expect(await outcome()).toBe('ok');
  });

  it('lends to as many channels of one receiver as may be, and only to those whose claim key is the receiver’s', async () => {
    await using strict = await ChannelStage.start({
      facilitator: {
        channels: {
          ofReceiver: 1,
          claimKeysOf: (receiver) =>
            receiver === strict.seller ? new Set([nobody, strict.claimAuthorizer]) : undefined,
        },
        sponsorship: { account: parseAccount(developmentAccounts().facilitator.privateKey), anyone: true },
      },
    });
    const { extra } = await strict.requirements();
    const other = strict.harness.account('payer2').address;
    const outcome = async (receiver: string, claimAuthorizer: string) => {
      const requirements = await strict.requirements({ payTo: receiver, extra: { ...extra, claimAuthorizer } });
      const opening = await strict.opening(await strict.config({ receiver }));
      const verdict = await strict.verify(opening, requirements);
      const { errorReason } = await strict.settle(opening, { requirements });
      expect(verdict.invalidReason).toBe(errorReason);
      return errorReason ?? 'ok';
    };
    const lent = 'invalid_batch_settlement_avm_sponsorship';
    const strangers = claimAuthorizerOf(strangersKey);
    expect(await outcome(strict.seller, strangers)).toBe(lent);
    expect(await outcome(strict.seller, strict.claimAuthorizer)).toBe('ok');
    expect(await outcome(strict.seller, strict.claimAuthorizer)).toBe(lent);
    expect(await outcome(other, strangers)).toBe('ok');
    expect(await outcome(other, strangers)).toBe(lent);
  });

  it('measures rounds from where the chain is, not from where the payer’s window begins, which is ten rounds back at most', async () => {
    await using live = await ChannelStage.start({
      node: { network: 'testnet' },
      facilitator: { channels: { minDeposit: 1n, minRounds: 500n, maxRounds: 600n } },
    });
    await live.harness.devnode.mine(300);
    const outcome = async (rounds: bigint, back: bigint) => {
      const { lastRound, genesisId } = await live.harness.algod.params();
      const config = await live.config({ expiry: lastRound + rounds });
      const window = { firstValid: lastRound - back, lastValid: lastRound + 20n, genesisId, fee: 1000n };
      const group = openingGroup(config, { feePayer: live.sponsor, deposit: 1n }, window);
      return (await live.settle(live.deposit(config, 1n, group))).errorReason ?? 'ok';
    };
    const expiring = 'invalid_batch_settlement_avm_channel_expiring';
    expect([await outcome(499n, 10n), await outcome(500n, 0n), await outcome(500n, 10n)]).toEqual([
      expiring,
      'ok',
      'ok',
    ]);
    expect(await outcome(600n, 10n)).toBe('ok');
    expect(await outcome(601n, 0n)).toBe('invalid_batch_settlement_avm_sponsorship');
    expect(await outcome(600n, 11n)).toBe('invalid_batch_settlement_avm_deposit_group');
  });

  it('pays a fee that is all that is left of a budget, and none that is a µAlgo more', async () => {
    const account = parseAccount(developmentAccounts().facilitator.privateKey);
    for (const [payerBudget, outcome] of [
      [3_999n, { success: false, errorReason: 'invalid_batch_settlement_avm_sponsor_budget' }],
      [4_000n, { success: true }],
    ] as const) {
      await using poor = await ChannelStage.start({
        facilitator: { sponsorship: { account, anyone: true, payerBudget } },
      });
      expect(await poor.settle(await poor.opening(await poor.config()))).toMatchObject(outcome);
    }
  });

  it('lends nothing on a public network where no least deposit is named', async () => {
    await using open = await ChannelStage.start({ node: { network: 'testnet' } });
    expect((await open.requirements()).extra).not.toHaveProperty('receiverAuthorizer');
  });
});
