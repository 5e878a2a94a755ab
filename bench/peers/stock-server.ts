import { ExactAvmScheme } from '@x402/avm/exact/server';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import { network, required, routes, sell } from './serve.ts';

const facilitator = new HTTPFacilitatorClient({ url: required('FACILITATOR_URL') });
const resources = new x402ResourceServer(facilitator).register(network, new ExactAvmScheme());
await sell(paymentMiddleware(routes, resources));
