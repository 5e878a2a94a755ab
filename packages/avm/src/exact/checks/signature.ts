import { parseAddress } from '@avm402/algorand/address';
import { verify } from '@avm402/algorand/ed25519';
import { verifyMultisig } from '@avm402/algorand/multisig';
import { X402Error } from '@avm402/core/errors';
import type { ExactPayment } from './group-shape.ts';
import { signerOf } from './signer.ts';

/**
 * The signature is the claimed signer's, by algod's Ed25519 rule. A stranger makes us verify one signature slowly and no
 * more: a multisig with two that only the slow rule can judge is refused, and no honest signer makes one.
 * Throws X402Error `invalid_exact_avm_invalid_signature`.
 */
export function checkSignature(payment: ExactPayment): void {
  const { signed, signingBytes } = payment.transfer;
  const { signature, multisig } = signed;
  if (signature !== undefined && verify(parseAddress(signerOf(payment)), signingBytes, signature)) return;
  if (multisig !== undefined && verifyMultisig(signingBytes, multisig, { maxSlow: 1 })) return;
  throw new X402Error('invalid_exact_avm_invalid_signature', {
    message: `the signature of the payment is not that of ${signerOf(payment)}`,
  });
}
