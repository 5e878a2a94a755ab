import { toFacilitatorAvmSigner } from '@x402/avm';
import { ExactAvmScheme } from '@x402/avm/exact/facilitator';
import { x402Facilitator } from '@x402/core/facilitator';
import express from 'express';
import { network, required, serve } from './serve.ts';

// The stock packages come without a facilitator program; this is their example's. Its signer keeps one algod client
// and fetch keeps connections open, so that nothing is left to improve but the time for which idle callers stay connected.
const signer = toFacilitatorAvmSigner(required('AVM_PRIVATE_KEY'), {
  testnetUrl: required('ALGOD_URL'),
  algodToken: required('ALGOD_TOKEN'),
});
const facilitator = new x402Facilitator().register(network, new ExactAvmScheme(signer));

const app = express();
app.use(express.json());
app.get('/supported', (_request, response) => void response.json(facilitator.getSupported()));
app.post('/verify', ({ body }, response, next) => {
  facilitator.verify(body.paymentPayload, body.paymentRequirements).then((verdict) => response.json(verdict), next);
});
app.post('/settle', ({ body }, response, next) => {
  facilitator.settle(body.paymentPayload, body.paymentRequirements).then((outcome) => response.json(outcome), next);
});

await serve(app);
