import { signatureCount } from '@avm402/algorand/multisig';
import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/** Signatures of a multisig that are verified before anything is known to be paid. */
const MAX_SIGNATURES = 16;

/**
 * The payment carries exactly one signature, of a key or of a multisig. Logic signatures are refused: what a program
 * allows can't be judged here.
 * Throws X402Error `invalid_exact_avm_payment_not_signed`, `_logic_signature`, `_invalid_signature`,
 * `_too_many_signatures`.
 */
export function checkPaymentSigned({ transfer: { signed } }: ExactPayment): void {
  if (signed.logicSignature !== undefined) {
    throw new X402Error('invalid_exact_avm_logic_signature', {
      message: 'the payment is authorized by a logic signature; only keys and multisigs are accepted',
    });
  }
  if (signed.signature === undefined && signed.multisig === undefined) {
    throw new X402Error('invalid_exact_avm_payment_not_signed', { message: 'the payment carries no signature' });
  }
  if (signed.signature !== undefined && signed.multisig !== undefined) {
    throw new X402Error('invalid_exact_avm_invalid_signature', {
      message: 'the payment carries both a signature and a multisig; exactly one is allowed',
    });
  }
  if (signed.multisig !== undefined && signatureCount(signed.multisig) > MAX_SIGNATURES) {
    throw new X402Error('invalid_exact_avm_too_many_signatures', {
      message: `the payment carries ${signatureCount(signed.multisig)} signatures, at most ${MAX_SIGNATURES} are verified`,
    });
  }
}
