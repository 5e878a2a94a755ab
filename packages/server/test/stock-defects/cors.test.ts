import { describe, expect, it } from 'vitest';
import { openBoth } from '../support/both-shops.ts';
import { pay, withPayment } from '../support/payments.ts';
import { offerAt, route } from '../support/shop.ts';

describe('browsers on other origins', () => {
  it('get 402 for a preflight from stock on a route for any verb; ours lets it pass and runs nothing', async () => {
    const { ours, stock } = await openBoth({
      routes: { '/report': route },
      handlers: (app, count) =>
        void app.all('/report', (_request, response) => {
          count();
          response.send('data');
        }),
    });
    const preflight = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' };
    const statusAt = async (url: string): Promise<number> =>
      (await fetch(`${url}/report`, { method: 'OPTIONS', headers: preflight })).status;
    expect(await statusAt(stock.url)).toBe(402);
    expect([await statusAt(ours.url), ours.runs()]).toEqual([204, 0]);
  });

  it('can’t read the protocol’s headers from stock; ours exposes them, beside what the app exposes', async () => {
    const { ours, stock } = await openBoth({
      before: (app) =>
        void app.use((_request, response, next) => {
          response.setHeader('Access-Control-Allow-Origin', '*');
          next();
        }),
      handlers: (app) =>
        void app.get('/report', (_request, response) => {
          response.append('Access-Control-Expose-Headers', 'X-Own').send('data');
        }),
    });
    const exposedBy = async (url: string): Promise<(string | null)[]> => {
      const unpaid = await fetch(`${url}/report`);
      const paid = await fetch(`${url}/report`, { headers: withPayment(pay(await offerAt(`${url}/report`))) });
      return [unpaid, paid].map(({ headers }) => headers.get('access-control-expose-headers'));
    };
    expect(await exposedBy(stock.url)).toEqual([null, 'X-Own']);
    const [unpaid, paid] = await exposedBy(ours.url);
    expect(unpaid).toBe('PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-Request-Id, Retry-After');
    expect(paid?.split(/,\s*/).toSorted()).toEqual([
      'PAYMENT-REQUIRED',
      'PAYMENT-RESPONSE',
      'Retry-After',
      'X-Own',
      'X-Request-Id',
    ]);
  });
});
