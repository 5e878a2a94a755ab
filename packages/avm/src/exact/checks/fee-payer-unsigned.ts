import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/** The fee payer's transaction comes unsigned: only its owner signs it, and only to settle. Throws X402Error `invalid_exact_avm_invalid_fee_payer`. */
export function checkFeePayerUnsigned({ feePayer }: ExactPayment): void {
  if (feePayer === undefined) return;
  const { txn: _, ...authorization } = feePayer.member.signed;
  if (Object.values(authorization).every((value) => value === undefined)) return;
  throw new X402Error('invalid_exact_avm_invalid_fee_payer', {
    message: "the fee payer's transaction must carry no signature and no authorizer",
  });
}
