import { randomBytes } from 'node:crypto';
import { parseAccount } from '@avm402/algorand/account';
import { createPayingFetch } from '@avm402/client';
import { createPaymentId, withPaymentId } from '@avm402/core/payment-identifier';
import { developmentAccounts, type DevelopmentAccountName } from '@avm402/devnode';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { toClientAvmSigner } from '@x402/avm';
import { ExactAvmScheme } from '@x402/avm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';

export interface BuyerOptions {
  readonly name: DevelopmentAccountName;
  readonly nodeUrl: string;
  readonly fetch: typeof fetch;
}

/** Our client. */
export function ourBuyer({ name, nodeUrl, fetch }: BuyerOptions): typeof globalThis.fetch {
  return createPayingFetch({
    account: parseAccount(developmentAccounts()[name].privateKey),
    networks: { 'algorand:*': { url: nodeUrl, token: NODE_TOKEN } },
    recoverMs: 15_000,
    fetch,
  });
}

/** The stock client; a payment id comes in through a hook of its. */
export function stockBuyer({ name, nodeUrl, fetch }: BuyerOptions): typeof globalThis.fetch {
  const signer = toClientAvmSigner(developmentAccounts()[name].privateKey);
  const client = new x402Client()
    .register('algorand:*', new ExactAvmScheme(signer, { algodUrl: nodeUrl, algodToken: NODE_TOKEN }))
    .onAfterPaymentCreation(async ({ paymentPayload }) => {
      paymentPayload.extensions = withPaymentId(paymentPayload.extensions, createPaymentId(randomBytes));
    });
  return wrapFetchWithPayment(fetch, client);
}
