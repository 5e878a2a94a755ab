import { randomBytes } from 'node:crypto';
import { accountFromSeed } from '@avm402/algorand/account';
import { describe, expect, it } from 'vitest';
import { createMemoryRedemptionStore, createSeller, paymentMiddleware } from '../src/index.ts';
import { mineUntil, openAcceptedShop, openSlowMarket } from './support/accepted-shop.ts';
import { eventually, offer, offerIn, receiptIn, resources } from './support/shop.ts';
import { stoppedBefore } from './support/watched-store.ts';

const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;
const types = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type);

describe('an accepted route', () => {
  it('answers before the block with a receipt that says that the outcome is open, and settles behind', async () => {
    const market = await openSlowMarket();
    const { url, pay, events, runs } = await openAcceptedShop(market);
    const headers = await pay({ paymentId: newId() });
    const answer = await fetch(url, { headers });
    expect([answer.status, await answer.text()]).toEqual([200, 'a report']);
    expect(receiptIn(answer)).toMatchObject({
      success: false,
      errorReason: 'settlement_pending',
      transaction: expect.stringMatching(/^[A-Z2-7]{52}$/),
    });
    expect(market.received()).toBe(0n);
    const again = await fetch(url, { headers });
    expect([again.status, await again.text(), receiptIn(again)?.errorReason]).toEqual([
      200,
      'a report',
      'settlement_pending',
    ]);
    await market.node.mine();
    await eventually(() => types(events)).toContain('settled');
    expect(market.received()).toBe(10_000n);
    await expect
      .poll(async () => {
        const last = await fetch(url, { headers });
        return [last.status, await last.text(), receiptIn(last)];
      })
      .toEqual([200, 'a report', expect.objectContaining({ success: true, extra: { confirmedRound: '1' } })]);
    expect(runs()).toBe(1);
  });

  it('tells who presents the payment without its id that the outcome is open, then that it is used', async () => {
    const market = await openSlowMarket();
    const { url, pay, runs } = await openAcceptedShop(market);
    const headers = await pay();
    expect((await fetch(url, { headers })).status).toBe(200);
    const open = await fetch(url, { headers });
    expect([open.status, receiptIn(open)?.errorReason]).toEqual([503, 'settlement_pending']);
    await market.node.mine();
    await expect.poll(async () => (await fetch(url, { headers })).status).toBe(402);
    const used = await fetch(url, { headers });
    expect([offerIn(used).error, receiptIn(used)?.success]).toEqual(['duplicate_payment', true]);
    expect(runs()).toBe(1);
  });

  it.each([
    ['a payment', { perPayment: '$0.009' }, 0],
    ['a payer', { perPayer: '$0.02' }, 2],
    ['all payers', { total: '$0.029' }, 2],
    ['an hour', { lossPerHour: '$0.01' }, 1],
  ])('waits for the block beyond what may be at risk of %s', async (_of, atRisk, early) => {
    const market = await openSlowMarket();
    const { url, pay, events } = await openAcceptedShop(market, { atRisk });
    const answers: Promise<Response>[] = [];
    for (let index = 0; index < 4; index++) answers.push(fetch(url, { headers: await pay() }));
    await eventually(() => events.filter(({ type }) => type === 'accepted').length).toBe(early);
    await expect.poll(async () => (await market.facilitator.readiness()).settlements.pending).toBe(4);
    const receipts = (await mineUntil(market.node, Promise.all(answers))).map((answer) => receiptIn(answer)?.success);
    expect(receipts.filter((success) => success === false)).toHaveLength(early);
    expect(receipts.filter((success) => success === true)).toHaveLength(4 - early);
    await eventually(() => types(events).filter((type) => type === 'settled').length).toBe(4);
    // What was at risk is free again.
    if (early > 0) expect((await fetch(url, { headers: await pay() })).status).toBe(200);
  });

  it('tells a loss, and does not trust its payer again before a payment of theirs is in a block', async () => {
    const market = await openSlowMarket({ facilitator: { settleTimeoutMs: 500 } });
    const { node } = market;
    const { url, pay, events } = await openAcceptedShop(market);
    const headers = await pay({ seconds: 1 });
    const answer = await fetch(url, { headers });
    const txId = receiptIn(answer)?.transaction ?? '';
    await node.drop(txId);
    await node.mine(1_000);
    await eventually(() => types(events)).toContain('lost');
    expect(events.find(({ type }) => type === 'lost')).toMatchObject({ txId, payer: node.accounts.payer.address });
    const refused = fetch(url, { headers: await pay({ seconds: 1 }) });
    const drop = () => node.drop(events.findLast(({ type }) => type === 'claimed')?.txId ?? '').catch(() => []);
    await expect.poll(drop, { timeout: 15_000 }).not.toEqual([]);
    await node.mine(1_000);
    expect((await refused).status).toBe(402);
    const waiting = fetch(url, { headers: await pay() });
    expect(receiptIn(await mineUntil(node, waiting))?.success).toBe(true);
    expect(receiptIn(await fetch(url, { headers: await pay() }))?.errorReason).toBe('settlement_pending');
    expect(types(events).filter((type) => type === 'lost')).toHaveLength(1);
  });

  it('waits for the block with a payment of few rounds, and with a key that is not the payer’s own', async () => {
    const market = await openSlowMarket();
    const { node } = market;
    const { url, pay, events } = await openAcceptedShop(market);
    const few = await pay({ seconds: 1 });
    await node.mine(7);
    const { payer2: rekeyed, payer3: signer } = node.accounts;
    await node.setAuthAddress(rekeyed.address, signer.address);
    const seed = Buffer.from(signer.privateKey, 'base64').subarray(0, 32);
    const other = await pay({ by: accountFromSeed(seed, { address: rekeyed.address }) });
    const answers = [fetch(url, { headers: few }), fetch(url, { headers: other })];
    await expect.poll(async () => (await market.facilitator.readiness()).settlements.pending).toBe(2);
    for (const answer of await mineUntil(node, Promise.all(answers))) expect(receiptIn(answer)?.success).toBe(true);
    expect(types(events)).not.toContain('accepted');
  });

  it('forgets no risk of a process that stood still and goes on when others take it for dead', async () => {
    const market = await openSlowMarket();
    const store = createMemoryRedemptionStore();
    const stopped = stoppedBefore(store, ({ accepted }) => accepted === true);
    const first = await openAcceptedShop(market, { store: stopped.store });
    const answer = fetch(first.url, { headers: await first.pay({ paymentId: newId() }) });
    await stopped.isStopped;
    const hours = 3_600_000;
    let elapsed = 0;
    const clock = () => performance.now() + (elapsed += hours);
    await openAcceptedShop(market, { store, now: () => Date.now() + hours, monotonicNow: clock });
    await expect.poll(async () => store.risks?.open(), { timeout: 15_000 }).toEqual([]);
    stopped.goOn();
    const { status } = await answer;
    const risks = (await store.risks?.open())?.length;
    // Whatever has left before its block is at risk.
    expect([status === 200, risks]).toEqual([false, 0]);
  });
});

describe('the option atRisk', () => {
  it('refuses unknown members, what is no price, a pause that no timer keeps, and a store that does not keep what is at risk', () => {
    const facilitator = 'http://127.0.0.1:1';
    const { risks: _, ...store } = createMemoryRedemptionStore();
    for (const option of [
      { atRisk: { perPayers: '$1' } as object },
      { atRisk: { total: '5 €' } },
      { atRisk: { sweepMs: 2 ** 31 } },
      { atRisk: {}, store },
    ]) {
      expect(() => createSeller({ facilitator, ...option })).toThrow(
        expect.objectContaining({ code: 'invalid_option' }),
      );
    }
  });

  it('is needed by a route whose answers leave before the block', () => {
    const accepts = { ...offer, extra: { paymentFlow: 'accepted' } };
    const server = resources({ url: 'http://127.0.0.1:1' });
    expect(() => paymentMiddleware({ 'GET /report': { accepts } }, server)).toThrow(/atRisk/);
  });
});
