// A shop in a process of its own: GET /goods, two routes with wildcards, and one whose handler finds nothing.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { HTTPFacilitatorClient, paymentMiddleware, x402ResourceServer } from '@avm402/server';
import express from 'express';

const { FACILITATOR_URL = '', PAY_TO = '' } = process.env;
const facilitator = new HTTPFacilitatorClient({ url: FACILITATOR_URL });
const resources = new x402ResourceServer(facilitator).register(ALGORAND_TESTNET, new ExactAvmServer());
const accepts = { scheme: 'exact', price: '$0.01', network: ALGORAND_TESTNET, payTo: PAY_TO } as const;
const charge = paymentMiddleware(
  {
    'GET /goods': { accepts },
    'GET /nothing': { accepts },
    'GET /repos/*/tree/*/raw/*/blob': { accepts },
    'GET /flights/:from-:to-:date.json': { accepts },
  },
  resources,
  { onEvent: () => {} },
);
await charge.ready;
const app = express().use(charge);
app.get('/goods', (_request, response) => void response.send('goods'));
const server = createServer(app).listen(0, '127.0.0.1', () => {
  console.log(`shop listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit(0));
