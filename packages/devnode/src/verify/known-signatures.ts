import { addressKey } from '../transaction/address-key.ts';
/** A message and its alleged Ed25519 signature: a key of 32 bytes, a message of any length, a signature of 64. */
export interface SignedMessage {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

const CAPACITY = 2048;

/** Longer messages are not kept, but verified again. A payment with the longest note has 5,000 bytes. */
const MAX_MESSAGE_BYTES = 8192;

/** The last signatures that were found good: the exact bytes of key, message and signature. */
export class KnownSignatures {
  readonly #known = new Set<string>();

  has(signed: SignedMessage): boolean {
    return signed.message.length <= MAX_MESSAGE_BYTES && this.#known.has(idOf(signed));
  }

  add(signed: SignedMessage): void {
    if (signed.message.length > MAX_MESSAGE_BYTES) return;
    this.#known.add(idOf(signed));
    const [oldest] = this.#known;
    if (this.#known.size > CAPACITY && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** Key and signature have fixed lengths, so different signed messages never have the same id. */
function idOf({ publicKey, message, signature }: SignedMessage): string {
  return addressKey(publicKey) + addressKey(signature) + addressKey(message);
}
