import { ExactAvmScheme } from '@x402/avm/exact/server';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware as stockMiddleware, x402ResourceServer } from '@x402/express';
import express, { type RequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import { paymentMiddleware } from '../../src/index.ts';
import { quiet } from '../support/both-shops.ts';
import { facilitator, listen, resources, route } from '../support/shop.ts';

describe('a middleware that is mounted below a path', () => {
  it('never matches in stock, which serves unpaid; ours matches the whole path', async () => {
    quiet();
    const stub = await facilitator();
    const routes = { 'GET /api/report': route };
    const stockServer = new x402ResourceServer(new HTTPFacilitatorClient({ url: stub.url })).register(
      'algorand:*',
      new ExactAvmScheme(),
    );
    const statusWith = async (middleware: RequestHandler): Promise<number> => {
      const app = express();
      app.use('/api', middleware);
      app.get('/api/report', (_request, response) => void response.send('data'));
      return (await fetch(`${await listen(app)}/api/report`)).status;
    };
    expect(await statusWith(stockMiddleware(routes, stockServer))).toBe(200);
    expect(await statusWith(paymentMiddleware(routes, resources(stub)))).toBe(402);
  });
});
