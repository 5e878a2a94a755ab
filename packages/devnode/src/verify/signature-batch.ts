import { verify } from '@avm402/algorand/ed25519';
import { verifyInBackground, type SignedMessage } from './background-verification.ts';
import { KnownSignatures } from './known-signatures.ts';

export const BAD_SIGNATURE = "At least one signature didn't pass verification";

/** What was found good in a simulation needs no second look when it is submitted, as in algod. */
const known = new KnownSignatures();

/** Ed25519 signatures of a group, verified together at the end: which one was bad is not told. */
export class SignatureBatch {
  readonly #signatures: SignedMessage[] = [];

  add(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): void {
    this.#signatures.push({ publicKey, message, signature });
  }

  /** Whether every signature is one that algod accepts. */
  verify(): boolean {
    return this.#signatures.every((signed) => {
      if (known.has(signed)) return true;
      const { publicKey, message, signature } = signed;
      const isGood = verify(publicKey, message, signature);
      if (isGood) known.add(signed);
      return isGood;
    });
  }

  /** The same, on other threads. */
  verifyInBackground(): Promise<boolean> {
    return verifyInBackground(this.#signatures.filter((signed) => !known.has(signed)));
  }
}
