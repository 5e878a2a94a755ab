import { AlgorandClient } from '@algorandfoundation/algokit-utils/algorand-client';
import { toClientAvmSigner } from '@x402/avm';
import { ExactAvmScheme } from '@x402/avm/exact/client';
import { required, wiringFromEnvironment } from '../harness/wiring.ts';

const algodUrl = required('ALGOD_URL');
const algodToken = required('ALGOD_TOKEN');

/** As its README: the scheme is told where algod is, and makes an algod client for every payment. */
const published = { algodUrl, algodToken };

/** One algod client for all payments; it may keep parameters as long as a payment's ten rounds allow. */
function best() {
  const algorandClient = AlgorandClient.fromConfig({ algodConfig: { server: algodUrl, token: algodToken } });
  return { algorandClient: algorandClient.setSuggestedParamsCacheTimeout(Number(required('KEEP_PARAMS_MS'))) };
}

const config = wiringFromEnvironment() === 'published' ? published : best();

/** The stock client's scheme for one payer. */
export function stockScheme(privateKey: string): ExactAvmScheme {
  return new ExactAvmScheme(toClientAvmSigner(privateKey), config);
}
