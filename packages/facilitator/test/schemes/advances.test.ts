// What the sponsor pays before, or without, a seller that has got what that is worth: the fees of channels, charges below
// the least amount that is sponsored, and the ALGO of an account that is handed over.
import { parseAccount } from '@avm402/algorand/account';
import { channelId } from '@avm402/avm/batch-settlement';
import { UptoAvmClient } from '@avm402/avm/upto/client';
import { schemeCode, type SchemeInCodes } from '@avm402/core/errors';
import { developmentAccounts } from '@avm402/devnode';
import { describe, expect, it } from 'vitest';
import type { FacilitatorOptions, SponsorshipOptions } from '../../src/index.ts';
import { createMemorySettlementStore } from '../../src/index.ts';
import { ChannelStage } from './channel-stage.ts';
import { USDC } from '../devnode-harness.ts';

const { facilitator, usdcIssuer, merchant } = developmentAccounts();
const CANT_RECEIVE = 'invalid_batch_settlement_avm_receiver_not_opted_in';

function staged(sponsorship: Partial<SponsorshipOptions>, options: Partial<FacilitatorOptions> = {}) {
  const of = {
    account: parseAccount(facilitator.privateKey),
    moreAccounts: [parseAccount(usdcIssuer.privateKey)],
    payTo: [merchant.address],
    anyone: false,
  };
  return ChannelStage.start({ facilitator: { ...options, sponsorship: { ...of, ...sponsorship } } });
}

const open = async (stage: ChannelStage, payer = stage.payer) => {
  const { extra } = await stage.requirements();
  const config = await stage.config({ payer: payer.address });
  const requirements = await stage.requirements({ extra: { ...extra, feePayer: stage.sponsor } });
  const opening = await stage.opening(config, 1_000_000n, undefined, payer);
  return { config, answer: await stage.settle(opening, { requirements }) };
};
const success = { success: true };
/** Refused by the scheme whose budget is used up. */
const refused = (scheme: SchemeInCodes) => ({ success: false, errorReason: schemeCode(scheme, 'sponsor_budget') });

/** What becomes of a payment of the scheme `exact` to the seller. */
async function exact({ harness }: ChannelStage) {
  const requirements = harness.requirements();
  return harness.facilitator.settle(await harness.pay(requirements), requirements);
}

async function charge({ harness }: ChannelStage, amount: string) {
  const extra = { feePayer: usdcIssuer.address };
  const offer = harness.requirements({ scheme: 'upto', amount: '50000', extra });
  const client = new UptoAvmClient({ account: harness.account('payer'), algod: () => harness.algod });
  const payload = { ...(await client.createPaymentPayload(2, offer)), accepted: offer };
  return harness.facilitator.settle(payload, { ...offer, amount });
}

/** The payer can't receive what its channels return. */
async function leaveAsset({ harness, payer }: ChannelStage): Promise<void> {
  const receiver = harness.account('payer2').address;
  const farewell = { receiver, assetId: USDC, amount: 0n, assetCloseTo: receiver } as const;
  await harness.send(payer, { ...(await harness.header()), ...farewell, type: 'axfer', sender: payer.address });
}

describe('channels that nothing was claimed from', () => {
  it('use up a budget of their own, and none of what is there for payments to the seller', async () => {
    await using stage = await staged({ payToBudget: 2_000n, advanceBudget: 10_999n });
    const { config, answer } = await open(stage);
    expect(answer).toMatchObject(success);
    expect(await stage.settle(stage.claim(config, 0n, { voucher: undefined }))).toMatchObject(success);
    expect((await open(stage)).answer).toMatchObject(refused('batch_settlement'));
    expect(await exact(stage)).toMatchObject(success);
    expect(await exact(stage)).toMatchObject(refused('exact'));
  });

  it('count against their payer, who opens no more than its share; another payer does', async () => {
    await using stage = await staged({ payerAdvanceBudget: 8_000n });
    expect((await open(stage)).answer).toMatchObject(success);
    const { config, answer } = await open(stage);
    expect(answer).toMatchObject(success);
    expect((await open(stage)).answer).toMatchObject(refused('batch_settlement'));
    expect(await stage.settle(await stage.toppingUp(config, 1n))).toMatchObject(refused('batch_settlement'));
    expect((await open(stage, stage.harness.account('payer2'))).answer).toMatchObject(success);
    expect(await exact(stage)).toMatchObject(success);
  });

  it('leave half of the budget for all together to payments', async () => {
    await using stage = await staged({ totalBudget: 8_000n });
    expect((await open(stage)).answer).toMatchObject(success);
    expect((await open(stage)).answer).toMatchObject(refused('batch_settlement'));
    expect([await exact(stage), await exact(stage)]).toMatchObject([success, success]);
    expect(await exact(stage)).toMatchObject(refused('exact'));
  });

  it('to sellers that are not listed have a budget together, at most that of their payments', async () => {
    const everybody = { payTo: [], anyone: true, advanceBudget: 9_000n };
    await using stage = await staged({ ...everybody, anyoneBudget: 4_000n });
    expect((await open(stage)).answer).toMatchObject(success);
    expect((await open(stage)).answer).toMatchObject(refused('batch_settlement'));
    expect([await exact(stage), await exact(stage)]).toMatchObject([success, success]);
    expect(await exact(stage)).toMatchObject(refused('exact'));
  });
});

describe('a charge below the least amount that is sponsored', () => {
  it('is paid for from the advances of its payer and seller, and others from what is there for payments', async () => {
    const store = createMemorySettlementStore();
    await using stage = await staged(
      { minAmount: 10_000n, payToBudget: 4_000n, payerAdvanceBudget: 4_000n },
      { store },
    );
    const small = [await charge(stage, '1'), await charge(stage, '9999')];
    expect(small).toMatchObject([success, success]);
    expect(await charge(stage, '9999')).toMatchObject(refused('upto'));
    const enough = [await charge(stage, '10000'), await exact(stage)];
    expect(enough).toMatchObject([success, success]);
    expect(await charge(stage, '10000')).toMatchObject(refused('upto'));
    const rows = await Promise.all([...small, ...enough].map(({ transaction }) => store.find(transaction)));
    expect(rows.map((row) => row?.advance)).toEqual([true, true, false, false]);
  });
});

describe('an account that is handed over', () => {
  it('costs its ALGO, which the budgets of the seller and of all keep back once they are used up, until the expiry', async () => {
    for (const budget of [{ payToBudget: 203_999n }, { totalBudget: 400_000n }]) {
      const store = createMemorySettlementStore();
      await using stage = await staged(budget, { store });
      const [first, second] = [await open(stage), await open(stage)];
      await leaveAsset(stage);
      const handedOver = await stage.settle(stage.claim(first.config, 100n));
      expect(handedOver).toMatchObject({ success: true, extra: { move: 'hand-over' } });
      expect(await store.find(handedOver.transaction)).toMatchObject({ sponsoredFee: 202_000n, advance: false });
      expect(await stage.settle(stage.claim(second.config, 100n))).toMatchObject(refused('batch_settlement'));
      expect(stage.algo(channelId(second.config))).toBe(200_000n);
      const optIn = { receiver: stage.payer.address, assetId: USDC, amount: 0n, sender: stage.payer.address } as const;
      await stage.harness.send(stage.payer, { ...(await stage.harness.header()), ...optIn, type: 'axfer' });
      await stage.expire(second.config);
      const refund = { type: 'refund', channelConfig: second.config } as const;
      expect(await stage.settle(refund)).toMatchObject(success);
    }
  });

  it('counts against its payer, whose budget keeps back its next channel and never a close', async () => {
    await using stage = await staged({ payerBudget: 220_000n });
    const [first, second] = [await open(stage), await open(stage)];
    await leaveAsset(stage);
    for (const { config } of [first, second]) {
      expect(await stage.settle(stage.claim(config, 100n))).toMatchObject({ extra: { move: 'hand-over' } });
    }
    expect((await open(stage)).answer).toMatchObject(refused('batch_settlement'));
  });

  it.each([
    ['by default a hundred times the least amount that is sponsored', {}, 5_000n],
    ['as much as the operator says', { handOverAmount: 700n }, 700n],
  ])('is worth a claim of %s; for less nothing is handed over', async (_, channels, worth) => {
    await using stage = await staged({ minAmount: 50n }, { channels });
    const { config } = await open(stage);
    await leaveAsset(stage);
    const less = stage.claim(config, worth - 1n);
    expect(await stage.verify(less)).toMatchObject({ invalidReason: CANT_RECEIVE });
    expect(await stage.settle(less)).toMatchObject({ errorReason: CANT_RECEIVE });
    expect(await stage.settle(stage.claim(config, worth))).toMatchObject({ extra: { move: 'hand-over' } });
  });
});
