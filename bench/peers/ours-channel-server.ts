import { BatchSettlementAvmServer } from '@avm402/avm/batch-settlement/server';
import { createSeller, HTTPFacilitatorClient, x402ResourceServer } from '@avm402/server';
import { createSqliteChannelStore } from '@avm402/server/sqlite';
import { network, required, sell } from './serve.ts';

const facilitator = new HTTPFacilitatorClient({ url: required('FACILITATOR_URL') });
const server = new x402ResourceServer(facilitator).register(network, new BatchSettlementAvmServer());
const seller = createSeller({
  server,
  channels: { store: createSqliteChannelStore({ path: required('CHANNEL_STORE') }) },
});
const payTo = required('AVM_ADDRESS');
const accepts = { scheme: 'batch-settlement', price: '$0.0001', network, payTo };
const weather = { accepts, description: 'Weather', mimeType: 'application/json' };
await sell(seller.middleware({ 'GET /weather': weather }));
