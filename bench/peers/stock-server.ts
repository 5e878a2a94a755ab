import { ALGORAND_TESTNET } from '@avm402/core/network';
import { ExactAvmScheme } from '@x402/avm/exact/server';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import express from 'express';
import { addHandlers, weatherRoutes } from './route.ts';
import { required, serveHttp } from './serve.ts';

const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: required('FACILITATOR_URL') })).register(
  ALGORAND_TESTNET,
  new ExactAvmScheme(),
);

const app = express();
app.use(paymentMiddleware(weatherRoutes(required('AVM_ADDRESS')), resources));
addHandlers(app);
await serveHttp('stock-server', app);
