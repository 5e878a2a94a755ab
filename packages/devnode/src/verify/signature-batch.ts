import type { SignatureVerifier } from './signature-verifier.ts';
import type { SignedMessage } from './known-signatures.ts';

export const BAD_SIGNATURE = "At least one signature didn't pass verification";

/** Ed25519 signatures of a group, verified together at the end. The result does not say which one was bad. */
export class SignatureBatch {
  readonly #verifier: SignatureVerifier;
  readonly #signatures: SignedMessage[] = [];

  constructor(verifier: SignatureVerifier) {
    this.#verifier = verifier;
  }

  add(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): void {
    this.#signatures.push({ publicKey, message, signature });
  }

  /** Whether every signature is one that algod accepts. They are verified on other threads. */
  verify(): Promise<boolean> {
    return this.#verifier.verify(this.#signatures);
  }
}
