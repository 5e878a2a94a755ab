import type { PaymentTransaction } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { isUnsigned } from '../../wire/group-member.ts';
import type { ExactPayment } from './group.ts';

/**
 * Checks that the group's fee payer, if it has one, is the account that the offer names.
 * @throws X402Error `invalid_exact_avm_fee_payer_not_offered`, `invalid_exact_avm_fee_payer_mismatch`
 */
export function checkFeePayerAccount(
  { feePayer }: ExactPayment,
  { accepted }: PaymentPayload,
  requirements: PaymentRequirements,
): void {
  if (feePayer === undefined) return;
  const offered = requirements.extra['feePayer'];
  if (typeof offered !== 'string') {
    throw new X402Error('invalid_exact_avm_fee_payer_not_offered', {
      message: 'the group has a fee payer, but the requirements name none in extra.feePayer',
    });
  }
  if (accepted.extra['feePayer'] !== offered || feePayer.transaction.sender !== offered) {
    throw new X402Error('invalid_exact_avm_fee_payer_mismatch', {
      message: `the fee payer must be ${offered} in the accepted offer and in the group`,
    });
  }
}

/**
 * Checks that the fee payer's transaction is unsigned: only its owner signs it, and only to settle.
 * @throws X402Error `invalid_exact_avm_invalid_fee_payer`
 */
export function checkFeePayerUnsigned({ feePayer }: ExactPayment): void {
  if (feePayer === undefined || isUnsigned(feePayer.member)) return;
  throw new X402Error('invalid_exact_avm_invalid_fee_payer', {
    message: "the fee payer's transaction must carry no signature and no authorizer",
  });
}

/** The note that stock clients set: a time in ms (JavaScript) or ns (Python). */
const STOCK_NOTE = /^x402-fee-payer-\d{1,20}$/;
const MAX_STOCK_NOTE_BYTES = 35;

/**
 * Checks that the fee payer pays the fee and does nothing else: zero to itself, no close, no rekey, no lease, and no
 * note but the stock one. A signed zero payment with bytes of a stranger's choice could serve as a login proof; the
 * stock note leaves no choice.
 * @throws X402Error `invalid_exact_avm_invalid_fee_payer`, which names the rule that is broken
 */
export function checkFeePayerFields({ feePayer }: ExactPayment): void {
  if (feePayer === undefined) return;
  const broken = brokenRule(feePayer.transaction);
  if (broken === undefined) return;
  throw new X402Error('invalid_exact_avm_invalid_fee_payer', {
    message: `the fee payer's transaction must ${broken}`,
  });
}

function brokenRule(transaction: PaymentTransaction): string | undefined {
  if (transaction.amount !== 0n) return 'move nothing (amount 0)';
  if (transaction.receiver !== transaction.sender) return 'go to the fee payer itself';
  if (transaction.closeRemainderTo !== undefined) return 'not close the account';
  if (transaction.rekeyTo !== undefined) return 'not rekey the account';
  if (transaction.lease !== undefined) return 'hold no lease';
  if (transaction.note !== undefined && !isStockNote(transaction.note)) return 'have no note';
  return undefined;
}

function isStockNote(note: Uint8Array): boolean {
  return note.length <= MAX_STOCK_NOTE_BYTES && STOCK_NOTE.test(String.fromCharCode(...note));
}

/**
 * Checks that fee payer and payment are valid in the same rounds.
 * @throws X402Error `invalid_exact_avm_invalid_fee_payer`
 */
export function checkFeePayerWindow({ feePayer, transferTransaction }: ExactPayment): void {
  if (feePayer === undefined) return;
  const { firstValid, lastValid } = feePayer.transaction;
  if (firstValid === transferTransaction.firstValid && lastValid === transferTransaction.lastValid) return;
  throw new X402Error('invalid_exact_avm_invalid_fee_payer', {
    message: "the fee payer's transaction must have the validity window of the payment",
  });
}
