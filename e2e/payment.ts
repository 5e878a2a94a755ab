import { randomBytes } from 'node:crypto';
import type { DevelopmentAccount } from '@avm402/devnode';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { type Account, parseAccount } from '@avm402/algorand/account';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { type Transaction, transactionId } from '@avm402/algorand/transaction';
import { ExactAvmClient } from '@avm402/avm/exact/client';
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentSignatureHeader,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_RESPONSE_HEADER,
} from '@avm402/core/headers';
import { createPaymentId, withPaymentId } from '@avm402/core/payment-identifier';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
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

/** Signs a payment by `exact` for these terms; nothing is sent. */
export async function signPayment(
  accepted: PaymentRequirements,
  account: Account,
  algod: AlgodClient,
): Promise<PaymentPayload> {
  const { payload } = await new ExactAvmClient({ account, algod: () => algod }).createPayment(accepted);
  return { x402Version: 2, accepted, payload };
}

/** The first of an answer's offers. */
export function firstOffered({ accepts: [accepted] }: PaymentRequired): PaymentRequirements {
  if (accepted === undefined) throw new Error('nothing is offered');
  return accepted;
}

/** Signs a payment for the first offer of an unpaid answer; nothing is sent. */
export async function payFor(
  offer: PaymentRequired,
  payer: DevelopmentAccount,
  nodeUrl: string,
): Promise<PaymentPayload> {
  const algod = createAlgodClient({ url: nodeUrl, token: NODE_TOKEN });
  const payment = await signPayment(firstOffered(offer), parseAccount(payer.privateKey), algod);
  return { ...payment, resource: offer.resource };
}

/** The transaction of a payment's group that pays. */
export function transactionOf({ payload }: PaymentPayload): Transaction {
  const { paymentGroup, paymentIndex } = payload as { paymentGroup: string[]; paymentIndex: number };
  return decodeSignedTransaction(Buffer.from(paymentGroup[paymentIndex] ?? '', 'base64')).txn;
}

/** The same payment with the member that pays replaced. */
export function withPaymentElement(
  payment: PaymentPayload,
  change: (element: Uint8Array) => Uint8Array,
): PaymentPayload {
  const { paymentGroup, paymentIndex } = payment.payload as { paymentGroup: string[]; paymentIndex: number };
  const element = change(Buffer.from(paymentGroup[paymentIndex] ?? '', 'base64'));
  const changed = paymentGroup.with(paymentIndex, Buffer.from(element).toString('base64'));
  return { ...payment, payload: { paymentGroup: changed, paymentIndex } };
}

export function txIdOf(payment: PaymentPayload): string {
  return transactionId(transactionOf(payment));
}

/** The payment with a new id, by which its buyer can come back for the response. */
export function withNewId(payment: PaymentPayload, offered = payment.extensions): PaymentPayload {
  return { ...payment, extensions: withPaymentId(offered, createPaymentId(randomBytes)) };
}

/** Headers of a request that carries the payment. */
export function paidHeaders(payment: PaymentPayload): Record<string, string> {
  return { 'PAYMENT-SIGNATURE': encodePaymentSignatureHeader(payment) };
}
