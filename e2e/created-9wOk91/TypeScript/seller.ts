import { ExactAvmServer } from '@avm402/avm/exact/server';
import { createSeller, HTTPFacilitatorClient, x402ResourceServer } from '@avm402/server';
import express from 'express';

// Who is paid, and who verifies and settles.
const { AVM_ADDRESS: payTo = '', FACILITATOR_URL: url = '', PORT = '4021' } = process.env;
const server = new x402ResourceServer(new HTTPFacilitatorClient({ url })).register('algorand:*', new ExactAvmServer());
const seller = createSeller({ server });
const accepts = await seller.accepts({ price: '$0.01', payTo });

const app = express().use(seller.middleware({ 'GET /joke': { accepts, description: 'A joke' } }));
app.get('/joke', (_request, response) => {
  response.json({ joke: 'to get to the other side' });
});

export const listener = app.listen(Number(PORT), (error) => {
  if (error) throw error;
  console.log(`selling on http://127.0.0.1:${PORT}/joke`);
});
