import { verify } from '@avm402/algorand/ed25519';

export const BAD_SIGNATURE = "At least one signature didn't pass verification";

/** Ed25519 signatures of a group, verified together at the end: which one was bad is not told. */
export class SignatureBatch {
  readonly #entries: [publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array][] = [];

  add(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): void {
    this.#entries.push([publicKey, message, signature]);
  }

  /** Whether every signature is one that algod accepts. */
  verify(): boolean {
    return this.#entries.every((entry) => verify(...entry));
  }
}
