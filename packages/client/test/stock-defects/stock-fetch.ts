import { ExactAvmScheme, toClientAvmSigner } from '@x402/avm';
import { x402Client } from '@x402/core/client';
import { wrapFetchWithPayment } from '@x402/fetch';
import { accounts, type Chain } from '../chain.ts';

/**
 * The published client, unmodified, on the same node and with the same account. The files f1 to f6 beside this one each
 * show a defect of it (version 2.26), and that ours does not have it.
 */
export function stockFetch(chain: Chain): ReturnType<typeof wrapFetchWithPayment> {
  const signer = toClientAvmSigner(accounts.payer.privateKey);
  const scheme = new ExactAvmScheme(signer, { algodUrl: chain.url, algodToken: chain.token });
  return wrapFetchWithPayment(fetch, new x402Client().register('algorand:*', scheme));
}
