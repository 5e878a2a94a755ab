import { X402Error } from '@avm402/core/errors';
import {
  type AuthorizationProblem,
  kindProblem,
  signatureProblem,
  signerOf,
  signerProblem,
} from '../../signing/authorization.ts';
import { carriesProgramOrFalcon, checkDelegatingSignature, checkProgramOrFalcon } from './chain-authorization.ts';
import { hexDigest } from '../../wire/hex-digest.ts';
import type { ExactPayment } from './group.ts';

/**
 * Checks that the payment has one authorization of a kind that is accepted, by its payer or by the address that the
 * payer claims to be rekeyed to. Signatures are not verified.
 * @throws X402Error `invalid_exact_avm_payment_not_signed`, `_logic_signature`, `_invalid_signature`,
 * `_too_many_signatures`, `_signer_mismatch`
 */
export function checkAuthorizer(exact: ExactPayment): void {
  if (carriesProgramOrFalcon(exact)) checkProgramOrFalcon(exact);
  else refuseFor(kindProblem(exact));
  refuseFor(signerProblem(exact));
}

/**
 * Checks the signatures of keys; the chain judges programs and Falcon signatures.
 * @throws X402Error `invalid_exact_avm_invalid_signature`
 */
export function checkSignature(exact: ExactPayment): void {
  if (carriesProgramOrFalcon(exact)) checkDelegatingSignature(exact);
  else refuseFor(signatureProblem(exact));
}

/** The address that authorizes the payment, and a digest of the program with its arguments, or of the Falcon signature. */
export function claimedSigner(exact: ExactPayment): string {
  const { logicSignature, pqSignature } = exact.transfer.signed;
  const authorization = logicSignature ?? pqSignature;
  return authorization === undefined ? signerOf(exact) : `${signerOf(exact)} ${hexDigest(authorization)}`;
}

function refuseFor(problem: AuthorizationProblem | undefined): void {
  if (problem === undefined) return;
  const { reason, ...options } = problem;
  throw new X402Error(`invalid_exact_avm_${reason}`, options);
}
