// The published client for axios: buys each address once, and prints what its caller is given.
import { toClientAvmSigner } from '@x402/avm';
import { ExactAvmScheme } from '@x402/avm/exact/client';
import { wrapAxiosWithPayment, x402Client } from '@x402/axios';
import { create } from 'axios';

const [algodUrl, privateKey, ...urls] = process.argv.slice(2);
const scheme = new ExactAvmScheme(toClientAvmSigner(privateKey), { algodUrl });
const api = wrapAxiosWithPayment(create(), new x402Client().register('algorand:*', scheme));
for (const url of urls) {
  const { status, data } = await api.get(url);
  console.log('given', JSON.stringify([status, data.goods]));
}
