// A shop whose every article costs a tenth of a cent: GET /goods/{number}. It notes each run of its handler in a file.
// FACILITATOR_URL may name several replicas of one facilitator, with commas between them; without STORE
// redemptions are kept in memory.
import { appendFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { HTTPFacilitatorClient, paymentMiddleware, x402ResourceServer } from '@avm402/server';
import { createSqliteRedemptionStore } from '@avm402/server/sqlite';
import type { HandlerRun } from './evidence.ts';

const { FACILITATOR_URL = '', PAY_TO = '', STORE = '', RUNS = '' } = process.env;
const facilitators = FACILITATOR_URL.split(',').map((url) => new HTTPFacilitatorClient({ url }));
const resources = new x402ResourceServer(facilitators).register(ALGORAND_TESTNET, new ExactAvmServer());
const charge = paymentMiddleware(
  { 'GET /goods/:number': { accepts: { scheme: 'exact', price: '$0.001', network: ALGORAND_TESTNET, payTo: PAY_TO } } },
  resources,
  {
    ...(STORE && { store: createSqliteRedemptionStore({ path: STORE }) }),
    settleTimeoutMs: 10_000,
    maxWaitMs: 10_000,
    onEvent: () => {},
  },
);
await charge.ready;

const app = express();
app.use(charge);
app.get('/goods/:number', (request, response) => {
  const run: HandlerRun = { order: Number(request.params.number), run: randomUUID() };
  appendFileSync(RUNS, `${JSON.stringify(run)}\n`);
  response.json(run);
});
const server = createServer(app).listen(0, '127.0.0.1', () => {
  console.log(`shop listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit(0));
