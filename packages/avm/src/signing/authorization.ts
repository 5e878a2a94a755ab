import { parseAddress } from '@avm402/algorand/address';
import { verify } from '@avm402/algorand/ed25519';
import { isAlgorandError } from '@avm402/algorand/errors';
import {
  multisigAddress,
  multisigParametersOf,
  type MultisigSignature,
  signatureCount,
  verifyMultisig,
} from '@avm402/algorand/multisig';
import { X402Error } from '@avm402/core/errors';
import type { GroupMember } from './group-member.ts';

/** A group as far as it concerns the member that its payer signs. */
export interface SignedTransfer {
  readonly transfer: GroupMember;
}

/** The most multisig signatures that are verified before any payment is certain. */
const MAX_SIGNATURES = 16;

/**
 * Checks that the transfer carries exactly one signature, of a key or of a multisig. What only the chain can judge is
 * refused: see chain-authorization.ts for payments that may carry it.
 * @throws X402Error `invalid_exact_avm_payment_not_signed`, `_logic_signature`, `_invalid_signature`,
 * `_too_many_signatures`
 */
export function checkPaymentSigned({ transfer: { signed } }: SignedTransfer): void {
  if (signed.logicSignature !== undefined || signed.pqSignature !== undefined) {
    throw new X402Error('invalid_exact_avm_logic_signature', {
      message: 'the transfer is authorized by a logic signature or a Falcon key; only keys and multisigs are accepted',
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

/** The address whose signature the payment claims: the payer's own, or the one named in `sgnr` by a rekeyed payer. */
export function signerOf({ transfer: { signed } }: SignedTransfer): string {
  return signed.authAddress ?? signed.txn.sender;
}

/**
 * Checks that the claimed signer is well-formed: named only if it is not the payer (algod's rule), and equal to the
 * address of its multisig. The simulation shows whether the payer is really rekeyed to it.
 * @throws X402Error `invalid_exact_avm_signer_mismatch`, `invalid_exact_avm_invalid_signature`
 */
export function checkSigner(payment: SignedTransfer): void {
  const { signed } = payment.transfer;
  if (signed.authAddress === signed.txn.sender) {
    throw new X402Error('invalid_exact_avm_signer_mismatch', {
      message: 'the authorizer (sgnr) must be left out when it is the payer itself',
    });
  }
  if (signed.multisig === undefined || addressOf(signed.multisig) === signerOf(payment)) return;
  throw new X402Error('invalid_exact_avm_signer_mismatch', {
    message: `the multisig is not that of ${signerOf(payment)}`,
  });
}

function addressOf(multisig: MultisigSignature): string {
  try {
    return multisigAddress(multisigParametersOf(multisig));
  } catch (cause) {
    if (!isAlgorandError(cause)) throw cause;
    throw new X402Error('invalid_exact_avm_invalid_signature', { message: cause.message, cause });
  }
}

/**
 * Checks by algod's Ed25519 rule that the claimed signer made the signature. A stranger can make us verify one
 * signature slowly and no more: a multisig with two that only the slow rule can judge is refused, and no honest signer
 * makes one.
 * @throws X402Error `invalid_exact_avm_invalid_signature`
 */
export function checkSignature(payment: SignedTransfer): void {
  const { signed, signingBytes } = payment.transfer;
  const { signature, multisig } = signed;
  if (signature !== undefined && verify(parseAddress(signerOf(payment)), signingBytes, signature)) return;
  if (multisig !== undefined && verifyMultisig(signingBytes, multisig, { maxSlow: 1 })) return;
  throw new X402Error('invalid_exact_avm_invalid_signature', {
    message: `the signature of the payment is not that of ${signerOf(payment)}`,
  });
}
