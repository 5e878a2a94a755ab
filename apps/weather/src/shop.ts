import { charge, declareDiscovery, type NetworkTerms, type Seller } from '@avm402/server';
import express, { type Express } from 'express';
import helmet from 'helmet';

const DAYS = Array.from({ length: 14 }, (_, day) => `Day ${day + 1}: sunny, ${66 + ((day * 5) % 9)} degrees.`);
/** Atomic units of USDC: 14 days cost less than the cent that is offered. */
const PRICE_OF_WORD = 60n;
const EXAMPLE = { weather: 'sunny', temperature: 70, timestamp: '2026-01-01T12:00:00.000Z' };
const report = (): object => ({ ...EXAMPLE, timestamp: new Date().toISOString() });

/** Sells three routes, which `weather --help` describes. Rejects if an offer can't be made. */
export async function weatherShop(seller: Seller, paid: Omit<NetworkTerms, 'price'>): Promise<Express> {
  const sold = async (description: string, terms: Partial<NetworkTerms> = {}) => ({
    accepts: await seller.accepts({ ...paid, price: '$0.01', ...terms }),
    description,
    mimeType: 'application/json',
  });
  const payments = seller.middleware({
    'GET /weather': {
      ...(await sold('The weather, now')),
      extensions: declareDiscovery({ output: { example: { report: EXAMPLE } } }),
    },
    'GET /nowcast': await sold('The weather of the next minutes, which can’t wait for a block', {
      extra: { paymentFlow: 'accepted' },
    }),
    'GET /forecast': await sold('The weather of the next days', { schemes: ['exact', 'batch-settlement', 'upto'] }),
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
