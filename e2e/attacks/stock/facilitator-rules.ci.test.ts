import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { facilitatorCases } from './facilitator-cases.ts';
import { RuleStage } from './rule-stage.ts';
import { cell, tableUnder } from './security-page.ts';

let stage: RuleStage;

beforeAll(async () => {
  stage = await RuleStage.start();
  await stage.node.mine(150);
});
afterAll(() => stage.stop());

describe.each(facilitatorCases)('$rule, a payment $payment', ({ make, ours, stock }) => {
  it(`here: ${ours}`, async () => {
    expect(await stage.outcome(stage.ours, await make(stage))).toBe(ours);
  });

  it(`at the stock facilitator: ${stock}`, async () => {
    expect(await stage.outcome(stage.stock, await make(stage))).toBe(stock);
  });
});

it('docs/security.md has these outcomes, and no others', () => {
  const rows = facilitatorCases.map(({ rule, payment, ours, stock }) => [rule, payment, cell(ours), cell(stock)]);
  expect(tableUnder('Rules for facilitators')).toEqual(rows);
});
