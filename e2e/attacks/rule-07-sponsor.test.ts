import { USDC } from '@avm402/stack/balances';
import { afterEach, describe, expect, it } from 'vitest';
import { txIdOf } from '../payment.ts';
import { SponsoredStage } from './sponsored-stage.ts';

const FEE = 2_000n;
const OVER = 'invalid_exact_avm_sponsor_budget';

let stage: SponsoredStage;
afterEach(() => stage.stop());

describe('a sponsor of a listed seller', () => {
  it('pays nothing for dust: what reaches the seller is worth no less than the fee', async () => {
    stage = await SponsoredStage.start(({ account }) => ({
      sponsorship: { account: account('facilitator'), payTo: [account('merchant').address] },
    }));
    const before = stage.sponsorHas;
    const dust = await Promise.all(
      ['1', '2', '999'].flatMap((amount) => stage.payments(20, stage.requirements({ amount }))),
    );
    expect(await stage.askAll('settle', dust.flat())).toEqual({ invalid_exact_avm_not_sponsored: 60 });
    expect(stage.sponsorHas).toBe(before);
    const least = await stage.pay(stage.requirements({ amount: '1000' }));
    expect(await stage.ask('settle', least)).toBe('ok');
    expect(before - stage.sponsorHas).toBe(FEE);
  });

  it('spends on one seller what its budget allows, whoever pays, and tells so in verify', async () => {
    stage = await SponsoredStage.start(({ account }) => ({
      sponsorship: { account: account('facilitator'), payTo: [account('merchant').address], payToBudget: 5n * FEE },
    }));
    const before = stage.sponsorHas;
    const mine = await stage.payments(10, stage.requirements());
    const others = await Promise.all(
      Array.from({ length: 10 }, () => stage.pay(stage.requirements(), stage.account('payer2'))),
    );
    expect(await stage.askAll('settle', [...mine, ...others])).toEqual({ ok: 5, [OVER]: 15 });
    expect(before - stage.sponsorHas).toBe(5n * FEE);
    expect(await stage.ask('verify', await stage.pay())).toBe(OVER);
  });

  it('spends on one payer what its budget allows, and goes on with the others', async () => {
    stage = await SponsoredStage.start(({ account }) => ({
      sponsorship: { account: account('facilitator'), payTo: [account('merchant').address], payerBudget: 5n * FEE },
    }));
    const before = stage.sponsorHas;
    expect(await stage.askAll('settle', await stage.payments(12, stage.requirements()))).toEqual({ ok: 5, [OVER]: 7 });
    expect(before - stage.sponsorHas).toBe(5n * FEE);
    const other = await stage.pay(stage.requirements(), stage.account('payer2'));
    expect(await stage.ask('settle', other)).toBe('ok');
  });
});

describe('the budget for anyone', () => {
  it('is not used up by payments that are refused', async () => {
    stage = await SponsoredStage.start(({ account }) => ({
      sponsorship: { account: account('facilitator'), anyone: true, anyoneBudget: 5n * FEE },
    }));
    const before = stage.sponsorHas;
    const refused = await stage.payments(40, stage.requirements());
    // Each wave is verified with money in the account and settled without it.
    for (let wave = 0; wave < refused.length; wave += 4) {
      await stage.leave('payer', 1_000_000n);
      const some = refused.slice(wave, wave + 4);
      expect(await stage.askAll('verify', some)).toEqual({ ok: 4 });
      await stage.leave('payer', 0n);
      expect(await stage.askAll('settle', some)).toEqual({ invalid_exact_avm_insufficient_balance: 4 });
    }
    expect(stage.sponsorHas).toBe(before);
    const honest = await Promise.all(
      Array.from({ length: 6 }, () => stage.pay(stage.requirements(), stage.account('payer2'))),
    );
    expect(await stage.askAll('settle', honest)).toEqual({ ok: 5, [OVER]: 1 });
    expect(before - stage.sponsorHas).toBe(5n * FEE);
  });

  it('is held for a payment that a node has had and lost, refused since, for as long as a copy of it may be confirmed', async () => {
    let clock = Date.now();
    stage = await SponsoredStage.start(({ account }) => ({
      sponsorship: { account: account('facilitator'), anyone: true, anyoneBudget: FEE },
      now: () => clock,
    }));
    const { node } = stage;
    const payer = stage.account('payer').address;
    const before = stage.sponsorHas;
    await node.pause();
    const lost = await stage.pay();
    const answer = stage.ask('settle', lost);
    await expect
      .poll(() =>
        node.drop(txIdOf(lost)).then(
          ({ length }) => length,
          () => 0,
        ),
      )
      .toBe(2);
    await node.setFrozen(payer, USDC, true);
    clock += 10_000;
    await node.mine(6);
    expect(await answer).toBe('invalid_exact_avm_asset_frozen');
    const honest = await stage.pay(stage.requirements(), stage.account('payer2'));
    expect(await stage.ask('settle', honest)).toBe(OVER);
    await node.mine(100);
    await node.resume();
    const later = await stage.pay(stage.requirements(), stage.account('payer2'));
    await expect.poll(() => stage.ask('settle', later)).toBe('ok');
    expect(before - stage.sponsorHas).toBe(FEE);
  });
});
