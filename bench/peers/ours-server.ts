import { ExactAvmServer } from '@avm402/avm/exact/server';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { HTTPFacilitatorClient, paymentMiddleware, x402ResourceServer } from '@avm402/server';
import { required, routes, sell } from './serve.ts';

const facilitator = new HTTPFacilitatorClient({ url: required('FACILITATOR_URL') });
const resources = new x402ResourceServer(facilitator).register(ALGORAND_TESTNET, new ExactAvmServer());
await sell(paymentMiddleware(routes, resources));
