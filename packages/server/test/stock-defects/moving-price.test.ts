import { describe, expect, it } from 'vitest';
import { openBoth } from '../support/both-shops.ts';
import { pay, withPayment } from '../support/payments.ts';
import { offer, offerAt, offerIn } from '../support/shop.ts';

describe('a price that has moved between offer and payment', () => {
  it('makes stock refuse what it has asked for; ours honours its quote', async () => {
    let cents = 1;
    const { ours, stock } = await openBoth({
      routes: { 'GET /report': { accepts: { ...offer, price: () => `$0.0${cents}` } } },
    });
    const buy = async (url: string): Promise<Response> => {
      cents = 1;
      const payment = pay(await offerAt(`${url}/report`));
      cents = 2;
      return fetch(`${url}/report`, { headers: withPayment(payment) });
    };
    const stockAnswer = await buy(stock.url);
    expect([stockAnswer.status, offerIn(stockAnswer).error]).toEqual([402, 'No matching payment requirements']);
    expect((await buy(ours.url)).status).toBe(200);
  });
});
