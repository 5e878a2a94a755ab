import { isX402Error, type X402Error } from '@avm402/core/errors';
import type { PaymentPayload, PaymentRequirements, SettleResponse, VerifyResponse } from '@x402/core/types';

/** Settles a payment through a settlement store, so that no path around the store exists. */
export type Settle = (payload: PaymentPayload, requirements: PaymentRequirements) => Promise<SettleResponse>;

/** Whether an error is a verdict on the payment, and not trouble of our own. */
export function isRefusal(error: unknown): error is X402Error {
  return isX402Error(error) && error.kind === 'refusal';
}

/**
 * The answer of `/verify`: a refusal is an answer, and only trouble of our own is thrown.
 * @param verify - resolves with the payer's address and the rest of the answer
 */
export async function verifyResponse(
  verify: () => Promise<Pick<VerifyResponse, 'payer' | 'extra'>>,
): Promise<VerifyResponse> {
  try {
    return { isValid: true, ...(await verify()) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { isValid: false, invalidReason: error.code, invalidMessage: error.message };
  }
}
