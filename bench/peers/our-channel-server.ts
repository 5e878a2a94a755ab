import { BatchSettlementAvmServer } from '@avm402/avm/batch-settlement/server';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { createSeller, HTTPFacilitatorClient, x402ResourceServer } from '@avm402/server';
import { sqliteChannelStore } from '@avm402/server/sqlite';
import express from 'express';
import { required, serveHttp } from './serve.ts';

const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: required('FACILITATOR_URL') })).register(
  ALGORAND_TESTNET,
  new BatchSettlementAvmServer(),
);
const seller = createSeller({ server, channels: { store: sqliteChannelStore({ path: required('CHANNEL_STORE') }) } });
const payTo = required('AVM_ADDRESS');
const accepts = { scheme: 'batch-settlement', price: '$0.0001', network: ALGORAND_TESTNET, payTo };
const payments = seller.middleware({
  'GET /weather': { accepts, description: 'Weather', mimeType: 'application/json' },
});

const app = express();
app.use(payments);
app.get('/weather', (_request, response) => void response.json({ report: { weather: 'sunny', temperature: 21 } }));
await payments.ready;
await serveHttp('our-channel-server', app);
