import { transactionId } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import { type PaymentPayload, parsePaymentPayload } from '@avm402/core/payment-payload';
import { type PaymentRequirements, parsePaymentRequirements } from '@avm402/core/payment-requirements';
import { parseAtomicAmount } from '@avm402/core/price';
import { type SponsoredMember, unsigned } from '../../sponsorship/sponsored-group.ts';
import { checkAuthorizationSignature, checkAuthorizationTerms } from '../checks/authorization.ts';
import { parseUptoPayload, type UptoPayment } from '../payload.ts';
import { signByAuthorization, uptoGroup } from '../upto-group.ts';

/** An authorization that passed all offline checks, with a charge that it allows. */
export interface CheckedUpto {
  readonly payment: UptoPayment;
  readonly requirements: PaymentRequirements;
  /** Atomic units: the maximum when verifying, the charge when settling. */
  readonly amount: bigint;
}

/** The group of a charge, with the key of its settlement. */
export interface UptoSettlement {
  /** Id of the transfer. */
  readonly txId: string;
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  /** The fee payer's payment, not signed yet, and the transfer, signed by the program. */
  readonly members: readonly [SponsoredMember, SponsoredMember];
}

/**
 * Reads an authorization for `verify` and runs the checks that need no network call. The requirements' amount is the
 * maximum.
 * @throws X402Error with a wire reason (`invalid_upto_avm_*`)
 */
export function checkUpto(payload: unknown, requirements: unknown): CheckedUpto {
  const { payload: scheme } = parsed(payload);
  const offer = parsePaymentRequirements(requirements);
  return { ...checked(parseUptoPayload(scheme), offer), amount: parseAtomicAmount(offer.amount) };
}

/**
 * Like {@link checkUpto}, for `settle`: the requirements' amount is the charge, at most the accepted maximum.
 * @throws X402Error with a wire reason (`invalid_upto_avm_*`)
 */
export function checkUptoCharge(payload: unknown, requirements: unknown): CheckedUpto {
  const { payload: scheme, accepted } = parsed(payload);
  const charged = parsePaymentRequirements(requirements);
  const amount = parseAtomicAmount(charged.amount);
  const payment = parseUptoPayload(scheme);
  if (amount > payment.authorization.maxAmount) {
    throw new X402Error('invalid_upto_avm_above_maximum', {
      message: `${amount} were charged, the payer allows ${payment.authorization.maxAmount}`,
    });
  }
  return { ...checked(payment, { ...charged, amount: accepted.amount }), requirements: charged, amount };
}

/** The group of a charge, with a fee of `fee` µAlgo for each member. */
export function uptoSettlement({ payment, amount }: CheckedUpto, fee: bigint): UptoSettlement {
  const [feePayer, transfer] = uptoGroup(payment, { amount, fee });
  if (feePayer === undefined || transfer === undefined) throw new TypeError('a group of two has two members');
  const { firstValid, lastValid } = transfer;
  return {
    txId: transactionId(transfer),
    firstValid,
    lastValid,
    members: [unsigned(feePayer), { txn: transfer, bytes: signByAuthorization(payment, transfer) }],
  };
}

function parsed(payload: unknown): PaymentPayload {
  const payment = parsePaymentPayload(payload);
  if (payment.accepted.scheme !== 'upto') throw new X402Error('unsupported_scheme');
  return payment;
}

function checked(payment: UptoPayment, offer: PaymentRequirements): Pick<CheckedUpto, 'payment' | 'requirements'> {
  checkAuthorizationTerms(payment, offer);
  checkAuthorizationSignature(payment);
  return { payment, requirements: offer };
}
