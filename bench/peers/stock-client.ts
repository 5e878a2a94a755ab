import { AlgorandClient } from '@algorandfoundation/algokit-utils/algorand-client';
import { toClientAvmSigner } from '@x402/avm';
import { ExactAvmScheme } from '@x402/avm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { serveJobs } from './jobs.ts';
import { required } from './serve.ts';

const algodConfig = { server: required('ALGOD_URL'), token: required('ALGOD_TOKEN') };
/** One algod client for all payments; it may keep parameters as long as a payment's ten rounds allow. */
const algorandClient = AlgorandClient.fromConfig({ algodConfig }).setSuggestedParamsCacheTimeout(
  Number(required('KEEP_PARAMS_MS')),
);

await serveJobs((privateKey) => {
  const scheme = new ExactAvmScheme(toClientAvmSigner(privateKey), { algorandClient });
  return { fetch: wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', scheme)), scheme };
});
