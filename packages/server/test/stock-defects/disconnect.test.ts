import { describe, expect, it } from 'vitest';
import { openBoth } from '../support/both-shops.ts';
import { later } from '../support/facilitator-stub.ts';
import { pay, withPayment } from '../support/payments.ts';
import { eventually, offerAt } from '../support/shop.ts';

describe('a client that leaves while the handler runs', () => {
  it('is charged by stock for what it never got; ours gives the payment back', async () => {
    const work = later<void>();
    const { ours, stock } = await openBoth({
      handlers: (app, count) =>
        void app.get('/report', async (_request, response) => {
          count();
          await work.promise;
          response.send('data');
        }),
    });
    for (const shop of [ours, stock]) {
      const abort = new AbortController();
      const payment = pay(await offerAt(`${shop.url}/report`));
      const left = fetch(`${shop.url}/report`, { headers: withPayment(payment), signal: abort.signal });
      await eventually(() => shop.runs()).toBe(1);
      abort.abort();
      await expect(left).rejects.toThrow();
      await eventually(() => shop.left()).toBe(1);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    work.resolve();
    await eventually(() => stock.stub.settles().length).toBe(1);
    expect(ours.stub.settles()).toHaveLength(0);
  });
});
