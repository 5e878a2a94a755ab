import { describe, expect, it } from 'vitest';
import { openBoth } from '../support/both-shops.ts';
import { pay, withPayment } from '../support/payments.ts';
import { offerAt, offerIn } from '../support/shop.ts';

const INTERNAL = 'SQLSTATE 08006 at db-7.internal';

describe('a facilitator that fails', () => {
  it('looks like an unpaid request in stock, with the text of the failure; ours says 503 and nothing of it', async () => {
    const { ours, stock } = await openBoth();
    const buy = async ({ url, stub }: typeof ours): Promise<Response> => {
      const payment = pay(await offerAt(`${url}/report`));
      stub.onVerify = () => ({ status: 500, body: INTERNAL });
      return fetch(`${url}/report`, { headers: withPayment(payment) });
    };
    const stockAnswer = await buy(stock);
    expect(stockAnswer.status).toBe(402);
    expect(offerIn(stockAnswer).error).toContain(INTERNAL);
    const ourAnswer = await buy(ours);
    expect(ourAnswer.status).toBe(503);
    expect(Number(ourAnswer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(ourAnswer.headers.get('payment-required')).toBeNull();
    expect(JSON.stringify([...ourAnswer.headers]) + (await ourAnswer.text())).not.toContain('SQLSTATE');
    expect(ours.runs()).toBe(0);
  });

  it('that can’t be reached at all: 402 in stock, 503 in ours; the payment is good afterwards', async () => {
    const { ours, stock } = await openBoth();
    const answers: number[] = [];
    for (const { url, stub } of [stock, ours]) {
      const payment = pay(await offerAt(`${url}/report`));
      stub.onVerify = () => 'cut';
      answers.push((await fetch(`${url}/report`, { headers: withPayment(payment) })).status);
      stub.onVerify = () => undefined;
      expect((await fetch(`${url}/report`, { headers: withPayment(payment) })).status).toBe(200);
    }
    expect(answers).toEqual([402, 503]);
  });
});
