import { formatAddress } from '@avm402/algorand/address';
import { sha512_256 } from '@avm402/algorand/hash';
import { sameBytes } from '../codec/bytes.ts';
import type { PqSignature } from '../codec/schema/signed-transaction.ts';
import { DevnodeError } from '../errors.ts';
import { isKnownPqScheme } from '../transaction/pq-scheme.ts';

const ADDRESS_PREFIX = Buffer.from('PQA');

/** The address whose authority a post-quantum key has. */
export function pqAddress({ scheme, salt, publicKey }: PqSignature): Uint8Array {
  return sha512_256(Buffer.concat([ADDRESS_PREFIX, scheme, Uint8Array.of(salt), publicKey]));
}

/**
 * What is wrong with a post-quantum signature before its mathematics.
 * @throws DevnodeError `unsupported` where algod would verify the Falcon signature, which this node can't
 */
export function pqSignatureProblem(signature: PqSignature, authorizer: Uint8Array): string {
  if (!isKnownPqScheme(signature)) return 'pq signature scheme not supported';
  const derived = pqAddress(signature);
  if (!sameBytes(derived, authorizer)) {
    return `pq signature authorizer mismatch: derived ${formatAddress(derived)}, expected ${formatAddress(authorizer)}`;
  }
  if (signature.signature.length === 0) return 'pq signature is empty';
  // Differs from algod: no-falcon
  throw new DevnodeError(
    'unsupported',
    'this development node does not verify post-quantum (Falcon) signatures; use algod for transactions that carry one',
  );
}
