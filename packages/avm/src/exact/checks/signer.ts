import { multisigAddress, multisigParametersOf, type MultisigSignature } from '@avm402/algorand/multisig';
import { isAlgorandError } from '@avm402/algorand/errors';
import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';

/** The address whose signature the payment claims: the payer's own, or the one that a rekeyed payer names in `sgnr`. */
export function signerOf({ transfer: { signed } }: ExactPayment): string {
  return signed.authAddress ?? signed.txn.sender;
}

/**
 * The claimed signer is well-formed: named only if it is not the payer (algod's rule), and a multisig's own address.
 * That the chain has rekeyed the payer to it is for the simulation to tell.
 * Throws X402Error `invalid_exact_avm_signer_mismatch`, `invalid_exact_avm_invalid_signature`.
 */
export function checkSigner(payment: ExactPayment): void {
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
