import { checkPaymentTerms, checkSignature, withNamedFeePayer } from '@avm402/avm/exact';
import type { PaymentPayload } from '@x402/core/types';
import type { ServePaid } from '../exchange/exchange.ts';
import type { ReadablePayment } from '../flows/presented-payment.ts';
import { redeem } from '../flows/redeem.ts';

export const serveExact: ServePaid = (exchange, payload) => redeem(exchange, payload, exactPayment);

/**
 * Checks a payment, except for its signatures. Makes no network calls, and reads no body.
 * @throws X402Error with a wire reason (`invalid_exact_avm_*`)
 */
function exactPayment(sent: PaymentPayload): ReadablePayment {
  const payload = withNamedFeePayer(sent);
  const { txId, groupDigest, payer, lastValid, isJudgedByChain, exact } = checkPaymentTerms(payload, payload.accepted);
  const isSignedByPayer = exact.transfer.signed.signature !== undefined && !isJudgedByChain;
  return {
    payload,
    txId,
    groupDigest,
    payer,
    isJudgedByChain,
    ...(isSignedByPayer && { signedUntil: lastValid }),
    checkSignature: () => checkSignature(exact),
  };
}
