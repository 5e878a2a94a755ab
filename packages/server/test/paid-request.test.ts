import { describe, expect, it } from 'vitest';
import { account, forge, merchant, pay, payer, sponsor, withPayment } from './support/payments.ts';
import { later } from './support/facilitator-stub.ts';
import { offerAt, offerIn, openShop, receiptIn, route } from './support/shop.ts';

describe('a request without payment', () => {
  it('is answered 402 with the offer, and runs nothing', async () => {
    const shop = await openShop();
    const response = await fetch(`${shop.url}/report`);
    expect(response.status).toBe(402);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('vary')).toContain('PAYMENT-SIGNATURE');
    expect(response.headers.get('access-control-expose-headers')).toContain('PAYMENT-REQUIRED');
    const offer = offerIn(response);
    expect(offer).toMatchObject({
      x402Version: 2,
      error: 'payment_required',
      resource: { url: `${shop.url}/report`, description: 'A report', mimeType: 'application/json' },
      accepts: [{ scheme: 'exact', asset: '10458941', amount: '10000', payTo: merchant, extra: { feePayer: sponsor } }],
    });
    expect(offer.extensions).toHaveProperty('payment-identifier');
    expect(shop.runs()).toBe(0);
  });
});

describe('a request with payment', () => {
  it('is served with the receipt, for the buyer alone', async () => {
    const shop = await openShop();
    const payment = pay(await offerAt(`${shop.url}/report`));
    const response = await fetch(`${shop.url}/report`, { headers: withPayment(payment) });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ report: 1 });
    expect(receiptIn(response)).toMatchObject({ success: true });
    expect(response.headers.get('cache-control')).toBe('private');
    const [settle] = shop.stub.settles();
    expect(settle?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is refused with the reason, and what was wrong this time, when the facilitator finds it invalid', async () => {
    const shop = await openShop();
    const invalidMessage = 'the payer has 5 units of asset 10458941';
    shop.stub.onVerify = () => ({
      body: { isValid: false, invalidReason: 'invalid_exact_avm_insufficient_balance', invalidMessage },
    });
    const payment = pay(await offerAt(`${shop.url}/report`));
    const response = await fetch(`${shop.url}/report`, { headers: withPayment(payment) });
    expect(response.status).toBe(402);
    expect(offerIn(response).error).toBe('invalid_exact_avm_insufficient_balance');
    expect(await response.text()).toContain(invalidMessage);
    expect(shop.runs()).toBe(0);
  });

  // Attack class 3, cross-resource substitution: a payment names payTo, asset and amount, not what they were paid for.
  it('buys one thing: at another route of the same price it runs nothing, neither later nor at the same time', async () => {
    const shop = await openShop({
      routes: { 'GET /report': route, 'GET /secret': route },
      handlers: (app, count) =>
        app.get(['/report', '/secret'], (request, response) => {
          count();
          response.json({ path: request.path });
        }),
    });
    const paths = ['/report', '/secret'];
    const first = withPayment(pay(await offerAt(`${shop.url}/report`)));
    const report = await fetch(`${shop.url}/report`, { headers: first });
    const secret = await fetch(`${shop.url}/secret`, { headers: first });
    expect([report.status, secret.status, shop.runs()]).toEqual([200, 402, 1]);
    expect(offerIn(secret).error).toBe('duplicate_payment');
    const second = withPayment(pay(await offerAt(`${shop.url}/report`)));
    const both = await Promise.all(paths.map((path) => fetch(`${shop.url}${path}`, { headers: second })));
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 402]));
    expect(shop.runs()).toBe(2);
  });

  it('carried by 100 concurrent requests runs once; the others are told of the settlement', async () => {
    const shop = await openShop();
    const headers = withPayment(pay(await offerAt(`${shop.url}/report`)));
    const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(`${shop.url}/report`, { headers })));
    const served = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 402);
    expect([served.length, refused.length, shop.runs()]).toEqual([1, 99, 1]);
    expect(new Set(refused.map((answer) => offerIn(answer).error))).toEqual(new Set(['duplicate_payment']));
    expect(new Set(answers.map((answer) => receiptIn(answer)?.transaction)).size).toBe(1);
    expect(shop.stub.verifies()).toHaveLength(1);
    expect(shop.stub.settles()).toHaveLength(1);
  });

  it('is not held up by forged copies of it that arrive first', async () => {
    const shop = await openShop();
    const genuine = pay(await offerAt(`${shop.url}/report`));
    const forged = forge(genuine, account(9));
    const { promise, resolve } = later<void>();
    shop.stub.onVerify = async ({ body }) => {
      const { payload } = body.paymentPayload;
      if (JSON.stringify(payload) === JSON.stringify(genuine.payload)) return undefined;
      await promise;
      return { body: { isValid: false, invalidReason: 'invalid_exact_avm_signer_mismatch' } };
    };
    const copies = Array.from({ length: 50 }, () => fetch(`${shop.url}/report`, { headers: withPayment(forged) }));
    const response = await fetch(`${shop.url}/report`, { headers: withPayment(genuine) });
    expect(response.status).toBe(200);
    resolve();
    const statuses = (await Promise.all(copies)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([402]));
    expect(shop.runs()).toBe(1);
  });

  it('of one payer, 50 at a time, is served 50 times', async () => {
    const shop = await openShop();
    const offer = await offerAt(`${shop.url}/report`);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        fetch(`${shop.url}/report`, { headers: withPayment(pay(offer, { from: payer })) }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => receiptIn(answer)?.transaction)).size).toBe(50);
  });
});
