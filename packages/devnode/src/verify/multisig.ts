import { sha512_256 } from '@avm402/algorand/hash';
import { isAllZero, sameBytes } from '../codec/bytes.ts';
import { multisig as multisigSchema, type Multisig } from '../codec/schema/signed-transaction.ts';
import type { SignedMessage } from './known-signatures.ts';

const VERSION = 1;
const MAX_KEYS = 255;
const ADDRESS_PREFIX = Buffer.from('MultisigAddr');

export interface MultisigClaim {
  readonly multisig: Multisig;
  readonly authorizer: Uint8Array;
  readonly message: Uint8Array;
}

/** Whether a multisig is absent. An explicitly empty key list is present (go-algorand crypto/multisig.go, Blank). */
export function isBlankMultisig(multisig: Multisig): boolean {
  return multisigSchema.isUnset(multisig);
}

/**
 * The problem with a multisig, if any (go-algorand crypto/multisig.go). Its signatures are not checked here, but added
 * to the batch.
 */
export function multisigProblem(claim: MultisigClaim, batch: SignedMessage[]): string | undefined {
  const { multisig, authorizer, message } = claim;
  const { threshold, subsignatures = [] } = multisig;
  const first = subsignatures[0];
  if (first === undefined || (isAllZero(first.publicKey) && isAllZero(first.signature)))
    return 'Invalid number of signatures';
  const problem = multisigFormProblem(multisig);
  if (problem !== undefined) return problem;
  if (!sameBytes(multisigAddress(multisig), authorizer)) return 'Invalid address';
  const signed = subsignatures.filter(({ signature }) => !isAllZero(signature));
  if (subsignatures.length > MAX_KEYS || signed.length < threshold) return 'Invalid number of signatures';
  batch.push(...signed.map(({ publicKey, signature }) => ({ publicKey, message, signature })));
  return undefined;
}

/** The problem with the version or threshold of a multisig, if any. */
export function multisigFormProblem({ version, threshold, subsignatures = [] }: Multisig): string | undefined {
  if (version !== VERSION) return 'unknown version';
  return threshold === 0 || threshold > subsignatures.length ? 'Invalid threshold' : undefined;
}

/** The address of a multisig: the hash of version, threshold and keys. */
export function multisigAddress({ version, threshold, subsignatures = [] }: Multisig): Uint8Array {
  const keys = subsignatures.map(({ publicKey }) => publicKey);
  return sha512_256(Buffer.concat([ADDRESS_PREFIX, Uint8Array.of(version, threshold), ...keys]));
}
