import { formatAddress } from '@avm402/algorand/address';
import { sha512_256 } from '@avm402/algorand/hash';
import { falconFault } from '@avm402/teal/falcon';
import { sameBytes } from '../codec/bytes.ts';
import { isKnownPqScheme, type PqSignature } from '../codec/schema/signed-transaction.ts';

const ADDRESS_PREFIX = Buffer.from('PQA');

/** The address that a post-quantum key signs for. */
export function pqAddress({ scheme, salt, publicKey }: PqSignature): Uint8Array {
  return sha512_256(Buffer.concat([ADDRESS_PREFIX, scheme, Uint8Array.of(salt), publicKey]));
}

/** A message, and its post-quantum signature in the name of an account. */
export interface PqSigned {
  readonly signature: PqSignature;
  readonly authorizer: Uint8Array;
  readonly message: Uint8Array;
}

/** The problem with a post-quantum signature, if any. */
export function pqSignatureProblem({ signature: signed, authorizer, message }: PqSigned): string | undefined {
  if (!isKnownPqScheme(signed)) return 'pq signature scheme not supported';
  const derived = pqAddress(signed);
  if (!sameBytes(derived, authorizer)) {
    return `pq signature authorizer mismatch: derived ${formatAddress(derived)}, expected ${formatAddress(authorizer)}`;
  }
  const { publicKey, signature } = signed;
  if (signature.length === 0) return 'pq signature is empty';
  const fault = falconFault(message, signature, publicKey);
  return fault && `invalid falcon-1024 signature: error code ${fault}: falcon verify failed`;
}
