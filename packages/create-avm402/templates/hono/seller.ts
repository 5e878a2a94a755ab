import { ExactAvmServer } from '@avm402/avm/exact/server';
import { createSeller, HTTPFacilitatorClient, x402ResourceServer } from '@avm402/server';
import { paymentMiddleware } from '@avm402/server/hono';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// Who is paid, who verifies and settles, and the address that buyers know this application by.
const { AVM_ADDRESS: payTo = '', FACILITATOR_URL: url = '', PORT = '4021' } = process.env;
const { PUBLIC_URL: publicUrl = `http://127.0.0.1:${PORT}` } = process.env;
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url })).register('algorand:*', new ExactAvmServer());
const seller = createSeller({ server, publicUrl });
const accepts = await seller.accepts({ price: '$0.01', payTo });

const app = new Hono().use(paymentMiddleware(seller.pricedRoutes({ 'GET /joke': { accepts, description: 'A joke' } })));
app.get('/joke', (context) => context.json({ joke: 'to get to the other side' }));

export const listener = serve({ fetch: app.fetch, port: Number(PORT) }, () =>
  console.log(`selling on ${publicUrl}/joke`),
);
