import { charge, declareDiscovery, type NetworkTerms, type Seller } from '@avm402/server';
import express, { type Express } from 'express';
import helmet from 'helmet';

const DAYS = Array.from({ length: 14 }, (_, day) => `Day ${day + 1}: sunny, ${66 + ((day * 5) % 9)} degrees.`);
/** Atomic units of USDC: 14 days cost less than the cent that is offered. */
const PRICE_OF_WORD = 60n;
const report = (): object => ({ weather: 'sunny', temperature: 70, timestamp: new Date().toISOString() });

/**
 * Sells `GET /weather` for a cent, `GET /nowcast` for a cent before the payment is in a block, and `GET /forecast` by the
 * word. Rejects if an offer can't be made.
 */
export async function weatherShop(seller: Seller, paid: Omit<NetworkTerms, 'price'>): Promise<Express> {
  const terms = { ...paid, price: '$0.01' };
  const payments = seller.middleware({
    'GET /weather': {
      accepts: await seller.accepts(terms),
      description: 'The weather, now',
      mimeType: 'application/json',
      extensions: declareDiscovery({
        output: { example: { report: { weather: 'sunny', temperature: 70, timestamp: '2026-01-01T12:00:00.000Z' } } },
      }),
    },
    'GET /nowcast': {
      accepts: await seller.accepts({ ...terms, extra: { paymentFlow: 'accepted' } }),
      description: 'The weather of the next minutes, which can’t wait for a block',
      mimeType: 'application/json',
    },
    'GET /forecast': {
      accepts: await seller.accepts({ ...terms, schemes: ['exact', 'batch-settlement', 'upto'] }),
      description: 'The weather of the next days',
      mimeType: 'application/json',
    },
  });
  await payments.ready;
  const app = express().use(helmet(), payments);
  app.get('/weather', (_request, response) => void response.json({ report: report() }));
  app.get('/nowcast', (_request, response) => void response.json({ nowcast: report() }));
  app.get('/forecast', ({ query: { days = 7 } }, response) => {
    const text = DAYS.slice(0, Number(days) || DAYS.length).join(' ');
    charge(response, BigInt(text.split(' ').length) * PRICE_OF_WORD);
    response.json({ forecast: { text, timestamp: new Date().toISOString() } });
  });
  return app;
}
