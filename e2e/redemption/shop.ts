// One of several processes of a shop: they share a redemption store, and each handler run gets a number of its own.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { HTTPFacilitatorClient, paymentMiddleware, x402ResourceServer } from '@avm402/server';
import { sqliteRedemptionStore } from '@avm402/server/sqlite';
import express from 'express';

const { FACILITATOR_URL = '', STORE = '', PAY_TO = '' } = process.env;
const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: FACILITATOR_URL })).register(
  'algorand:*',
  new ExactAvmServer(),
);
const offer = { scheme: 'exact', price: '$0.01', network: ALGORAND_TESTNET, payTo: PAY_TO };
const app = express();
app.use(
  paymentMiddleware({ 'GET /order/:number': { accepts: offer } }, resources, {
    store: sqliteRedemptionStore({ path: STORE }),
    verifyTimeoutMs: 2_000,
    settleTimeoutMs: 4_000,
    maxWaitMs: 5_000,
    onEvent: ({ type, txId, code }) => type === 'failed' && console.error(`${txId ?? ''} ${code ?? ''}`),
  }),
);
app.get('/order/:number', (request, response) => {
  const { number } = request.params;
  const run = randomUUID();
  console.log(`run ${number} ${run}`);
  response.json({ number, run });
});
const server = createServer(app);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`shop listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`);
});
process.once('SIGTERM', () => process.exit(0));
