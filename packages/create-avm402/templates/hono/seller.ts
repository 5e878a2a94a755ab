import { createSeller } from '@avm402/server';
import { paymentMiddleware } from '@avm402/server/hono';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// Who is paid, who verifies and settles, and the address that buyers know this application by.
const { AVM_ADDRESS: payTo, FACILITATOR_URL: facilitator, PORT, PUBLIC_URL } = process.env;
const port = Number(PORT || 4024);
const seller = createSeller({ facilitator, publicUrl: PUBLIC_URL || `http://127.0.0.1:${port}` });

const joke = { accepts: seller.price('$0.01', { payTo }), description: 'A joke' };
const app = new Hono().use(paymentMiddleware(seller.pricedRoutes({ 'GET /joke': joke })));
app.get('/joke', (context) => context.json({ joke: 'to get to the other side' }));

export const listener = serve({ fetch: app.fetch, port });
listener.once('listening', () => console.log(`selling on http://127.0.0.1:${Object(listener.address()).port}/joke`));
listener.once('error', (error) => {
  console.error(`${error.message}; PORT chooses another`);
  process.exit(1);
});
