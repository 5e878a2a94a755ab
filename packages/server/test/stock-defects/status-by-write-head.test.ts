import type { RequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import { openBoth } from '../support/both-shops.ts';
import { pay, withPayment } from '../support/payments.ts';
import { offerAt } from '../support/shop.ts';

const failures: readonly [string, RequestHandler][] = [
  ['500 by writeHead', (_request, response) => void response.writeHead(500).end('failed')],
  ['a redirect', (_request, response) => response.redirect(302, '/elsewhere')],
  ['304 not modified', (_request, response) => void response.status(304).end()],
];

describe('a status that is not 2xx', () => {
  it.each(failures)('as %s is charged by stock, and not by ours', async (_name, handler) => {
    const { ours, stock } = await openBoth({ handlers: (app) => void app.get('/report', handler) });
    for (const { url } of [ours, stock]) {
      const payment = pay(await offerAt(`${url}/report`));
      await fetch(`${url}/report`, { headers: withPayment(payment), redirect: 'manual' });
    }
    expect(stock.stub.settles()).toHaveLength(1);
    expect(ours.stub.settles()).toHaveLength(0);
  });
});
