import { describe, expect, it } from 'vitest';
import { openBoth, openStockShop } from '../support/both-shops.ts';
import { later } from '../support/facilitator-stub.ts';
import { pay, withPayment } from '../support/payments.ts';
import { eventually, offer, offerAt, openShop, route } from '../support/shop.ts';

// A payment that verifies can fail to settle: the buyer has moved the money meanwhile. Work that was done for it is lost.
describe('work that is done before settlement', () => {
  it('is lost in the flow "authorization" of both, once for each payment', async () => {
    const { ours, stock } = await openBoth();
    for (const { url, stub, runs } of [ours, stock]) {
      stub.onSettle = ({ txId, body }) => ({
        body: {
          success: false,
          errorReason: 'settlement_rejected',
          transaction: txId,
          network: body.paymentRequirements['network'],
        },
      });
      const response = await fetch(`${url}/report`, { headers: withPayment(pay(await offerAt(`${url}/report`))) });
      expect([response.status, await response.text().then((text) => text.includes('report"')), runs()]).toEqual([
        402,
        false,
        1,
      ]);
    }
  });

  it('is not begun in the flow "upfront"', async () => {
    const shop = await openShop({
      routes: { 'GET /report': { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } } },
    });
    shop.stub.onSettle = ({ txId }) => ({
      body: { success: false, errorReason: 'settlement_rejected', transaction: txId, network: '' },
    });
    await fetch(`${shop.url}/report`, { headers: withPayment(pay(await offerAt(`${shop.url}/report`))) });
    expect(shop.runs()).toBe(0);
  });

  it('is without limit for one payer in stock; ours caps what is under way', async () => {
    const work = later<void>();
    const slow: NonNullable<Parameters<typeof openShop>[0]>['handlers'] = (app, count) =>
      void app.get('/report', async (_request, response) => {
        count();
        await work.promise;
        response.send('data');
      });
    const stock = await openStockShop({ handlers: slow });
    const ours = await openShop({ handlers: slow, maxPaymentsPerPayer: 5 });
    const pending: Promise<unknown>[] = [];
    let answered = 0;
    for (const { url } of [stock, ours]) {
      const required = await offerAt(`${url}/report`);
      for (let count = 0; count < 20; count++) {
        pending.push(fetch(`${url}/report`, { headers: withPayment(pay(required)) }).then(() => answered++));
      }
    }
    await eventually(() => stock.runs()).toBe(20);
    await eventually(() => answered).toBe(15);
    expect(ours.runs()).toBe(5);
    work.resolve();
    await Promise.all(pending);
  });

  it('the same payment five times at once is worked on five times by stock, once by ours', async () => {
    const { ours, stock } = await openBoth();
    for (const { url } of [ours, stock]) {
      const headers = withPayment(pay(await offerAt(`${url}/report`)));
      await Promise.all(Array.from({ length: 5 }, () => fetch(`${url}/report`, { headers })));
    }
    expect([ours.runs(), stock.runs()]).toEqual([1, 5]);
  });
});
