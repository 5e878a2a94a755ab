import { createSeller } from '@avm402/server';
import express from 'express';

// Who is paid, and who verifies and settles.
const { AVM_ADDRESS: payTo, FACILITATOR_URL: facilitator, PORT } = process.env;
const seller = createSeller({ facilitator });

const joke = { accepts: seller.price('$0.01', { payTo }), description: 'A joke' };
const app = express().use(seller.middleware({ 'GET /joke': joke }));
app.get('/joke', (_request, response) => {
  response.json({ joke: 'to get to the other side' });
});

export const listener = app.listen(Number(PORT || 4024));
listener.once('listening', () => console.log(`selling on http://127.0.0.1:${Object(listener.address()).port}/joke`));
listener.once('error', (error) => {
  console.error(`${error.message}; PORT chooses another`);
  process.exit(1);
});
