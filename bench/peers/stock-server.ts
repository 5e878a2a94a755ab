import { once } from 'node:events';
import { createServer } from 'node:http';
import { ExactAvmScheme } from '@x402/avm/exact/server';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import express from 'express';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { announce } from '../harness/announce.ts';
import { required, wiringFromEnvironment } from '../harness/wiring.ts';
import { addHandlers, weatherRoutes } from './route.ts';

const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: required('FACILITATOR_URL') })).register(
  ALGORAND_TESTNET,
  new ExactAvmScheme(),
);

const app = express();
app.use(paymentMiddleware(weatherRoutes(required('AVM_ADDRESS')), resources));
addHandlers(app);

const server = createServer(app);
if (wiringFromEnvironment() === 'best') server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1');
await once(server, 'listening');
announce('stock-server', server);
