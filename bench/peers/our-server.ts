import { ExactAvmServer } from '@avm402/avm/exact/server';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { HTTPFacilitatorClient, paymentMiddleware, x402ResourceServer } from '@avm402/server';
import express from 'express';
import { addHandlers, weatherRoutes } from './route.ts';
import { required, serveHttp } from './serve.ts';

const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: required('FACILITATOR_URL') })).register(
  ALGORAND_TESTNET,
  new ExactAvmServer(),
);
const middleware = paymentMiddleware(weatherRoutes(required('AVM_ADDRESS')), resources);

const app = express();
app.use(middleware);
addHandlers(app);
await middleware.ready;
await serveHttp('our-server', app);
