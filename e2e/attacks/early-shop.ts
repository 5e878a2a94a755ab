// A replica in a process of its own: GET /goods for a cent, answered before the block; what is at risk is in a file.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSeller } from '@avm402/server';
import { createSqliteRedemptionStore } from '@avm402/server/sqlite';
import express from 'express';

const {
  FACILITATOR_URL: facilitator = '',
  PAY_TO: payTo = '',
  STORE: path = '',
  AT_RISK = '{}',
  AHEAD_MS = '0',
} = process.env;
/** A shop that starts after a crash is late enough to ask what became of the payments of the dead one. */
const now = (): number => Date.now() + Number(AHEAD_MS);
const store = createSqliteRedemptionStore({ path, now });
const seller = createSeller({ facilitator, store, now, atRisk: JSON.parse(AT_RISK) as object, onEvent: () => {} });
const payments = seller.middleware({
  'GET /goods': seller.price('$0.01', { payTo, extra: { paymentFlow: 'accepted' } }),
});
const app = express().use(payments);
app.get('/goods', (_request, response) => void response.send('goods'));
await payments.ready;
const server = createServer(app).listen(0, '127.0.0.1', () => {
  console.log(`replica listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit(0));
