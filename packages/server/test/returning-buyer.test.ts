import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { later } from './support/facilitator-stub.ts';
import { account, forge, pay, withPayment } from './support/payments.ts';
import { answerInTheEnd, eventually, offer, offerAt, offerIn, openShop, receiptIn, route } from './support/shop.ts';

const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;
const upfront = { 'GET /report': { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } } };

describe('a buyer who has paid and got nothing', () => {
  it('and comes back when too many of its payments are at work is served at the next try', async () => {
    const work = later<void>();
    let [runs, isBroken] = [0, true];
    const shop = await openShop({
      routes: { ...upfront, 'GET /slow': route },
      maxPaymentsPerPayer: 1,
      maxStoredBytes: 1,
      handlers: (app, count) => {
        app.get('/slow', async (_request, response) => {
          count();
          await work.promise;
          response.send('slow');
        });
        app.get('/report', (_request, response) => {
          runs++;
          if (isBroken) response.destroy();
          else response.send('report');
        });
      },
    });
    const [url, slowUrl] = [`${shop.url}/report`, `${shop.url}/slow`];
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    for (const _run of [1, 2]) await expect(fetch(url, { headers })).rejects.toThrow(TypeError);
    const slow = fetch(slowUrl, { headers: withPayment(pay(await offerAt(slowUrl))) });
    await eventually(() => shop.runs()).toBe(1);
    for (const _time of [1, 2, 3]) expect((await fetch(url, { headers })).status).toBe(429);
    isBroken = false;
    work.resolve();
    await slow;
    const answer = await fetch(url, { headers });
    expect([answer.status, await answer.text(), runs]).toEqual([200, 'report', 3]);
  });
});

describe('a payment whose settlement was refused', () => {
  const refusal = (txId: string, errorReason: string) => ({
    body: { success: false, errorReason, transaction: txId, network: '' },
  });

  it.each([
    ['ends in a handler that fails', 503, 'settlement_rejected'],
    ['reaches no facilitator', 200, 'unauthorized'],
  ])('is a duplicate for a stranger with its proof, also after a second try that %s', async (_what, status, second) => {
    let current = 200;
    const shop = await openShop({
      settleTimeoutMs: 100,
      handlers: (app, count) =>
        void app.get('/report', (_request, response) => {
          count();
          response.status(current).send('report');
        }),
    });
    const url = `${shop.url}/report`;
    const required = await offerAt(url);
    const note = randomBytes(16);
    const headers = withPayment(pay(required, { note, paymentId: newId() }));
    shop.stub.onSettle = ({ txId }) => refusal(txId, 'settlement_rejected');
    expect((await answerInTheEnd(url, { headers })).status).toBe(402);
    current = status;
    if (second === 'unauthorized') shop.stub.onSettle = () => ({ status: 401, body: { error: second } });
    expect((await fetch(url, { headers })).status).toBe(503);
    shop.stub.onSettle = () => undefined;
    current = 200;
    const before = shop.runs();
    const stranger = await fetch(url, { headers: withPayment(pay(required, { note })) });
    expect([stranger.status, offerIn(stranger).error, shop.runs()]).toEqual([402, 'duplicate_payment', before]);
  });

  it('because it was on chain already is final: its handler does not run again', async () => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    shop.stub.onSettle = ({ txId }) => refusal(txId, 'payment_already_on_chain');
    const answers = [await fetch(url, { headers }), await fetch(url, { headers })];
    expect(answers.map((answer) => [answer.status, receiptIn(answer)?.errorReason])).toEqual([
      [402, 'payment_already_on_chain'],
      [402, 'payment_already_on_chain'],
    ]);
    expect(shop.runs()).toBe(1);
  });
});

describe('a payment that comes back with the same id and request, but another signature', () => {
  it('is a duplicate: whoever signed it is not known to be the buyer', async () => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    const payment = pay(await offerAt(url), { paymentId: newId() });
    expect((await fetch(url, { headers: withPayment(payment) })).status).toBe(200);
    const forged = await fetch(url, { headers: withPayment(forge(payment, account(9))) });
    expect([forged.status, offerIn(forged).error, shop.runs()]).toEqual([402, 'duplicate_payment', 1]);
    expect(await forged.text()).not.toContain('report');
  });
});
