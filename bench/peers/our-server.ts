import { once } from 'node:events';
import { createServer } from 'node:http';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { HTTPFacilitatorClient, paymentMiddleware, x402ResourceServer } from '@avm402/server';
import express from 'express';
import { announce } from '../harness/announce.ts';
import { required } from '../harness/wiring.ts';
import { addHandlers, weatherRoutes } from './route.ts';

const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: required('FACILITATOR_URL') })).register(
  ALGORAND_TESTNET,
  new ExactAvmServer(),
);
const middleware = paymentMiddleware(weatherRoutes(required('AVM_ADDRESS')), resources);

const app = express();
app.use(middleware);
addHandlers(app);
await middleware.ready;

const server = createServer(app);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
announce('our-server', server);
