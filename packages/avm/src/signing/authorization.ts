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
import type { GroupMember } from '../wire/group-member.ts';

/** A group as far as it concerns the member that its payer signs. */
export interface SignedTransfer {
  readonly transfer: GroupMember;
}

/** What is wrong with a transfer's authorization. Each scheme refuses it with a code of its own. */
export interface AuthorizationProblem {
  readonly reason:
    | 'payment_not_signed'
    | 'logic_signature'
    | 'invalid_signature'
    | 'too_many_signatures'
    | 'signer_mismatch';
  readonly message: string;
  readonly cause?: unknown;
}

/** The most multisig signatures that are verified before any payment is certain. */
const MAX_SIGNATURES = 16;

/** The problem of a transfer that does not carry exactly one signature, of a key or of a multisig; undefined if it does. */
export function kindProblem({ transfer: { signed } }: SignedTransfer): AuthorizationProblem | undefined {
  const { signature, multisig, logicSignature, pqSignature } = signed;
  if ((logicSignature ?? pqSignature) !== undefined) {
    const message =
      'the transfer is authorized by a logic signature or a Falcon key; only keys and multisigs are accepted';
    return { reason: 'logic_signature', message };
  }
  if (multisig === undefined) {
    if (signature !== undefined) return undefined;
    return { reason: 'payment_not_signed', message: 'the payment carries no signature' };
  }
  if (signature !== undefined) {
    const message = 'the payment carries both a signature and a multisig; exactly one is allowed';
    return { reason: 'invalid_signature', message };
  }
  const count = signatureCount(multisig);
  if (count <= MAX_SIGNATURES) return undefined;
  const message = `the payment carries ${count} signatures, at most ${MAX_SIGNATURES} are verified`;
  return { reason: 'too_many_signatures', message };
}

/** The address whose signature the payment claims: the payer's own, or the one named in `sgnr` by a rekeyed payer. */
export function signerOf({ transfer: { signed } }: SignedTransfer): string {
  return signed.authAddress ?? signed.txn.sender;
}

/**
 * The problem of a claimed signer that is not well-formed: it may be named only if it is not the payer (algod's rule),
 * and equals the address of its multisig. The simulation shows whether the payer is really rekeyed to it.
 */
export function signerProblem(payment: SignedTransfer): AuthorizationProblem | undefined {
  const { authAddress, txn, multisig } = payment.transfer.signed;
  if (authAddress === txn.sender) {
    const message = 'the authorizer (sgnr) must be left out when it is the payer itself';
    return { reason: 'signer_mismatch', message };
  }
  if (multisig === undefined) return undefined;
  const address = addressOf(multisig);
  if (typeof address !== 'string') return address;
  const signer = signerOf(payment);
  return address === signer
    ? undefined
    : { reason: 'signer_mismatch', message: `the multisig is not that of ${signer}` };
}

function addressOf(multisig: MultisigSignature): string | AuthorizationProblem {
  try {
    return multisigAddress(multisigParametersOf(multisig));
  } catch (cause) {
    if (!isAlgorandError(cause)) throw cause;
    return { reason: 'invalid_signature', message: cause.message, cause };
  }
}

/**
 * The problem of a signature that the claimed signer did not make, by algod's Ed25519 rule. A stranger can make us
 * verify one signature slowly and no more: a multisig with two that only the slow rule can judge is refused, and no
 * honest signer makes one.
 */
export function signatureProblem(payment: SignedTransfer): AuthorizationProblem | undefined {
  const { signed, signingBytes } = payment.transfer;
  const { signature, multisig } = signed;
  if (signature !== undefined && verify(parseAddress(signerOf(payment)), signingBytes, signature)) return undefined;
  if (multisig !== undefined && verifyMultisig(signingBytes, multisig, { maxSlow: 1 })) return undefined;
  return {
    reason: 'invalid_signature',
    message: `the signature of the payment is not that of ${signerOf(payment)}`,
  };
}
