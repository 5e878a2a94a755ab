import { describe, expect, it } from 'vitest';
import { openBoth } from '../support/both-shops.ts';
import { pay, withPayment } from '../support/payments.ts';
import { offerAt, receiptIn } from '../support/shop.ts';

describe('response.end(callback)', () => {
  it('ends in stock in a 402 without receipt after the work was done; ours settles and serves', async () => {
    const { ours, stock } = await openBoth({
      handlers: (app, count) =>
        void app.get('/report', (_request, response) => {
          count();
          response.write('data');
          response.end(() => undefined);
        }),
    });
    const buy = async (url: string) => fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    const stockAnswer = await buy(`${stock.url}/report`);
    expect([stockAnswer.status, receiptIn(stockAnswer), stock.runs()]).toEqual([402, undefined, 1]);
    expect(stock.stub.settles()).toHaveLength(0);
    const ourAnswer = await buy(`${ours.url}/report`);
    expect([ourAnswer.status, await ourAnswer.text(), receiptIn(ourAnswer)?.success]).toEqual([200, 'data', true]);
  });
});
