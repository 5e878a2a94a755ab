import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/**
 * The facilitator's account is the fee payer of a sponsored group and appears nowhere else in it.
 * Throws X402Error `invalid_exact_avm_facilitator_transferring`, `_unsigned_non_facilitator`, `_not_sponsored`.
 */
export function checkOwnAccount({ feePayer, transferTransaction }: ExactPayment, ownAddress: string | undefined): void {
  if (transferTransaction.sender === ownAddress) {
    throw new X402Error('invalid_exact_avm_facilitator_transferring', {
      message: "the payer is the facilitator's own account",
    });
  }
  if (feePayer === undefined) return;
  if (feePayer.transaction.sender !== ownAddress) {
    throw new X402Error('invalid_exact_avm_unsigned_non_facilitator', {
      message: `fee payer ${feePayer.transaction.sender} is not an account of this facilitator`,
    });
  }
  if (transferTransaction.receiver === ownAddress) {
    throw new X402Error('invalid_exact_avm_not_sponsored', {
      message: "payments to the facilitator's own account are not sponsored",
    });
  }
}
