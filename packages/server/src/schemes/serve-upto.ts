import { createHash } from 'node:crypto';
import {
  checkAuthorizationSignature,
  checkAuthorizationTerms,
  encodeUptoPayload,
  parseUptoPayload,
} from '@avm402/avm/upto';
import type { PaymentPayload } from '@x402/core/types';
import type { ServePaid } from '../exchange/exchange.ts';
import type { ReadablePayment } from '../flows/presented-payment.ts';
import { redeem } from '../flows/redeem.ts';

export const serveUpto: ServePaid = (exchange, payload) => redeem(exchange, payload, uptoPayment);

/**
 * Checks an authorization, except for its signature. Makes no network calls, and reads no body. The payment's id is the
 * payer's lease, which the ledger settles only once: the transaction is made only when its amount is known.
 * @throws X402Error with a wire reason (`invalid_upto_avm_*`)
 */
function uptoPayment(payload: PaymentPayload): ReadablePayment {
  const payment = parseUptoPayload(payload.payload);
  checkAuthorizationTerms(payment, payload.accepted);
  const { payer, authAddress, authorization } = payment;
  return {
    payload,
    txId: `${payer}/${Buffer.from(authorization.lease).toString('hex')}`,
    groupDigest: createHash('sha256')
      .update(JSON.stringify(encodeUptoPayload(payment)))
      .digest('hex'),
    payer,
    maximum: authorization.maxAmount,
    isJudgedByChain: authAddress !== undefined,
    checkSignature: () => checkAuthorizationSignature(payment),
  };
}
