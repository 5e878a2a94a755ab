import { expect, it, onTestFinished } from 'vitest';
import { SponsoredStage } from './sponsored-stage.ts';

const FEE = 2_000n;
const OVER = 'invalid_exact_avm_sponsor_budget';

it('a sponsor of a listed seller has the budgets for a day without being asked: 1,000 payments of one payer', async () => {
  const stage = await SponsoredStage.start(({ account }) => ({
    sponsorship: { account: account('facilitator'), payTo: [account('merchant').address] },
  }));
  onTestFinished(() => stage.stop());
  const before = stage.sponsorHas;
  const answers: string[] = [];
  while (answers.length < 1_010) {
    // Each payment is valid for some rounds only, and each settlement makes one.
    const some = await stage.payments(10, stage.requirements({ amount: '1000' }));
    answers.push(...(await Promise.all(some.map((payment) => stage.ask('settle', payment)))));
  }
  expect(answers.filter((answer) => answer === 'ok')).toHaveLength(1_000);
  expect(answers.filter((answer) => answer === OVER)).toHaveLength(10);
  expect(before - stage.sponsorHas).toBe(1_000n * FEE);
});
