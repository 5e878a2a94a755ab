import { ExactAvmServer } from '@avm402/avm/exact/server';
import { HTTPFacilitatorClient, paymentMiddleware, x402ResourceServer } from '@avm402/server';
import { early, network, required, routes, sell } from './serve.ts';

const facilitator = new HTTPFacilitatorClient({ url: required('FACILITATOR_URL') });
const resources = new x402ResourceServer(facilitator).register(network, new ExactAvmServer());
// As much as a bench can spend: what is measured is the answer before the block.
const atRisk = { perPayment: '$1', perPayer: '$1000', total: '$100000', lossPerHour: '$100000' };
await sell(paymentMiddleware({ ...routes, ...early }, resources, { atRisk }));
