import type { DevelopmentAccount } from '@avm402/devnode';
import { createAlgodClient } from '@avm402/algorand/algod';
import { parseAccount } from '@avm402/algorand/account';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import type { Transaction } from '@avm402/algorand/transaction';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentSignatureHeader,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
} from '@avm402/core/headers';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { SettleResponse } from '@avm402/core/settle-response';
import { NODE_TOKEN } from '@avm402/stack/programs';

/** The decoded offer of a 402. */
export function offerOf(response: Response): PaymentRequired {
  const header = response.headers.get(PAYMENT_REQUIRED_HEADER);
  if (header === null) throw new Error(`HTTP ${response.status} without an offer`);
  return decodePaymentRequiredHeader(header);
}

/** The settlement that a response carries, if any. */
export function receiptOf(response: Response): SettleResponse | undefined {
  const header = response.headers.get(PAYMENT_RESPONSE_HEADER);
  return header === null ? undefined : decodePaymentResponseHeader(header);
}

/** Signs a payment for the first offer of an unpaid answer; nothing is sent. */
export async function payFor(
  offer: PaymentRequired,
  payer: DevelopmentAccount,
  nodeUrl: string,
): Promise<PaymentPayload> {
  const accepted = offer.accepts[0];
  if (!accepted) throw new Error('nothing is offered');
  const client = new ExactAvmClient({
    account: parseAccount(payer.privateKey),
    algod: () => createAlgodClient({ url: nodeUrl, token: NODE_TOKEN }),
  });
  const created = await client.createPaymentPayload(2, accepted);
  return { x402Version: 2, resource: offer.resource, accepted, payload: created.payload };
}

/** The transaction of a payment's group that pays. */
export function transactionOf({ payload }: PaymentPayload): Transaction {
  const { paymentGroup, paymentIndex } = payload as { paymentGroup: string[]; paymentIndex: number };
  return decodeSignedTransaction(Buffer.from(paymentGroup[paymentIndex] ?? '', 'base64')).txn;
}

/** Headers of a request that carries the payment. */
export function paidHeaders(payment: PaymentPayload): Record<string, string> {
  return { 'PAYMENT-SIGNATURE': encodePaymentSignatureHeader(payment) };
}
