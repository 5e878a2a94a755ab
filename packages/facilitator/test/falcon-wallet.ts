import { readFileSync } from 'node:fs';
import { formatAddress } from '@avm402/algorand/address';
import { sha512_256 } from '@avm402/algorand/hash';
import { encodeMsgpack } from '@avm402/algorand/msgpack';
import { encodeAuthorized } from '@avm402/algorand/signed-transaction';
import { transactionSigningBytes } from '@avm402/algorand/transaction';
import type { TransactionWallet } from '@avm402/avm/exact/client';
import { falcon1024 } from '@noble/post-quantum/falcon.js';

const SCHEME = new TextEncoder().encode('f1');
const ADDRESS_PREFIX = new TextEncoder().encode('PQA');
const NO_SALT = 0;
/** The header of a deterministic, compressed signature, and the version of its salt. */
const HEADER = [0xba, 0];
/** Degree, name and zeros: deterministic Falcon has no random salt. */
const SALT = Uint8Array.from([0, 10, ...new TextEncoder().encode('FALCON_DET'), ...new Uint8Array(28)]);
/** What the library puts before the signature besides the message: a length, the salt and its own header. */
const SEALED_PREFIX = 2 + SALT.length + 1;

/** By seed, what `falcon1024.keygen` makes of 48 such bytes, which takes it most of a second. */
const KEYS = JSON.parse(readFileSync(new URL('falcon-keys.json', import.meta.url), 'utf8')) as Record<
  2 | 3,
  { readonly publicKey: string; readonly secretKey: string }
>;

/**
 * A wallet of an account whose key is Falcon's, for which a library makes genuine signatures. Every second seed has an
 * address that is a point of Ed25519's curve; algod submits no Falcon signature for it.
 */
export function falconWallet(seed: 2 | 3): TransactionWallet {
  const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));
  const [publicKey, secretKey] = [bytesOf(KEYS[seed].publicKey), bytesOf(KEYS[seed].secretKey)];
  const address = formatAddress(sha512_256(Uint8Array.from([...ADDRESS_PREFIX, ...SCHEME, NO_SALT, ...publicKey])));
  const sign = (encoded: Uint8Array): Uint8Array => {
    // Of the bytes that the library asks for, the first 40 are the salt.
    const random = (length = 0) => (length === SALT.length ? SALT : crypto.getRandomValues(new Uint8Array(length)));
    const message = transactionSigningBytes(encoded);
    const sealed = falcon1024.attached.seal(message, secretKey, { random });
    const sig = Uint8Array.from([...HEADER, ...sealed.subarray(SEALED_PREFIX + message.length)]);
    return encodeAuthorized(encoded, { pqSignature: encodeMsgpack({ pk: publicKey, sch: SCHEME, sig }) });
  };
  return {
    address,
    signatureCost: { bytes: 3_100, minFees: 2n },
    signTransactions: async (encoded, indexes = []) =>
      encoded.map((member, index) => (indexes.includes(index) ? sign(member) : null)),
  };
}
