import { describe, expect, it } from 'vitest';
import { OpenSettlements } from '../../src/settlement/open-settlements.ts';
import { Harness, KEY, settle } from '../harness.ts';
import { modelPayment } from '../model-payment.ts';

describe('open settlements', () => {
  it('are bounded for each payer, and a place that is left is free again', () => {
    const open = new OpenSettlements({ perPayer: 2, crowded: 100, total: 200 });
    const place = open.reserve('A');
    open.reserve('A');
    expect(() => open.reserve('A')).toThrow(expect.objectContaining({ code: 'too_many_payments_in_flight' }));
    open.reserve('B');
    place.release();
    open.reserve('A');
  });

  it('leave each payer one while they are many', () => {
    const open = new OpenSettlements({ perPayer: 5, crowded: 3, total: 200 });
    for (let count = 0; count < 3; count += 1) open.reserve('A');
    expect(() => open.reserve('A')).toThrow(expect.objectContaining({ code: 'too_many_payments_in_flight' }));
    open.reserve('B');
    expect(() => open.reserve('B')).toThrow(expect.objectContaining({ code: 'too_many_payments_in_flight' }));
  });

  it('are bounded in total', () => {
    const open = new OpenSettlements({ perPayer: 5, crowded: 3, total: 4 });
    for (let count = 0; count < 3; count += 1) open.reserve('A');
    open.reserve('B').release();
    open.reserve('B');
    expect(() => open.reserve('C')).toThrow(expect.objectContaining({ code: 'facilitator_busy' }));
  });

  it('that are taken over count, but are never refused', () => {
    const open = new OpenSettlements({ perPayer: 1, crowded: 3, total: 4 });
    for (let count = 0; count < 9; count += 1) open.count('A');
    expect(() => open.reserve('B')).toThrow(expect.objectContaining({ code: 'facilitator_busy' }));
  });
});

describe('a payer whose payments are refused', () => {
  const h = new Harness({ instant: false });

  it('has 500 of them open, and no more until they expire; others settle meanwhile', async () => {
    // The refused ones leave the last place of the receiver to the other payer.
    const facilitator = h.create({ limits: { perReceiver: 501 } });
    const payments = Array.from({ length: 510 }, () => modelPayment(h.chain, { rounds: 20n }));
    // Each simulation is older than the refusals.
    for (const { payload, requirements } of payments) await facilitator.verify(payload, requirements);
    h.chain.broke.add(payments[0]?.payer.address ?? '');
    const answers = await Promise.all(payments.map((payment) => settle(facilitator, payment, KEY)));
    const refused = answers.filter(({ errorReason }) => errorReason === 'invalid_exact_avm_insufficient_balance');
    const tooMany = answers.filter(({ errorReason }) => errorReason === 'too_many_payments_in_flight');
    expect([refused.length, tooMany.length]).toEqual([500, 10]);
    h.chain.instant = true;
    const other = modelPayment(h.chain, { payerSeed: 2 });
    expect(await settle(facilitator, other, KEY)).toMatchObject({ success: true });
    h.chain.mine(25);
    h.chain.broke.clear();
    await expect
      .poll(async () => (await settle(facilitator, modelPayment(h.chain), KEY)).errorReason, { timeout: 5_000 })
      .toBeUndefined();
  });

  it('is simulated anew after the first refusal: what its account was worth before counts no more', async () => {
    const facilitator = h.create();
    const [first, second] = [modelPayment(h.chain), modelPayment(h.chain)];
    for (const { payload, requirements } of [first, second]) await facilitator.verify(payload, requirements);
    h.chain.broke.add(first.payer.address);
    expect(await settle(facilitator, first, KEY)).toMatchObject({ extra: { state: 'rejected' } });
    const before = h.calls('simulate');
    const answer = await settle(facilitator, second, KEY);
    expect(answer).toMatchObject({ errorReason: 'invalid_exact_avm_insufficient_balance' });
    expect(h.calls('simulate')).toBe(before + 1);
    expect(await facilitator.settlement(second.txId)).toBeUndefined();
  });
});
