import { createPublicKey, type KeyObject, verify as verifyNatively } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { verify as verifyByRule } from '@avm402/algorand/ed25519';
import { addressKey } from '../transaction/address-key.ts';
import { KnownSignatures, type SignedMessage } from './known-signatures.ts';

const MAX_KEYS = 4096;

/** Signatures of a group that are verified before others get their turn: some milliseconds of work. */
const AT_ONCE = 8;

/** Verifies Ed25519 signatures as algod does, and remembers keys and signatures to speed up later ones. */
export class SignatureVerifier {
  /** As in algod, a signature that was found good is not verified again: groups are often simulated, then submitted. */
  readonly #known = new KnownSignatures();
  /** Keys that have passed algod's own rule once: canonical and not of small order. */
  readonly #soundKeys = new Map<string, KeyObject>();

  /**
   * Whether algod accepts all the signatures. It verifies them on other threads where that is exact: with a sound key,
   * a native yes is algod's yes (see algorand's Ed25519 engine). The first signature of a key, and every native no, is
   * judged by the rule itself, which blocks this thread for a millisecond or more: one at a time, until one is refused.
   */
  async verify(signatures: readonly SignedMessage[]): Promise<boolean> {
    const unknown = signatures.filter((signed) => !this.#known.has(signed));
    for (let first = 0; first < unknown.length; first += AT_ONCE) {
      if (first > 0) await setImmediate();
      const some = unknown.slice(first, first + AT_ONCE);
      const certain = await Promise.all(some.map((signed) => this.#isCertainlyGood(signed)));
      if (!some.every((signed, index) => certain[index] === true || this.#judge(signed))) return false;
    }
    for (const signed of unknown) this.#known.add(signed);
    return true;
  }

  /** True for a native yes with a sound key; false decides nothing. */
  async #isCertainlyGood({ publicKey, message, signature }: SignedMessage): Promise<boolean> {
    const key = this.#soundKeys.get(addressKey(publicKey));
    if (key === undefined) return false;
    return new Promise((resolve, reject) => {
      verifyNatively(null, message, key, signature, (error, isGood) => {
        if (error) reject(error);
        else resolve(isGood);
      });
    });
  }

  #judge({ publicKey, message, signature }: SignedMessage): boolean {
    const isGood = verifyByRule(publicKey, message, signature);
    if (isGood) this.#rememberKey(publicKey);
    return isGood;
  }

  #rememberKey(publicKey: Uint8Array): void {
    const id = addressKey(publicKey);
    if (this.#soundKeys.has(id)) return;
    if (this.#soundKeys.size >= MAX_KEYS) this.#soundKeys.clear();
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
    this.#soundKeys.set(id, createPublicKey({ key: jwk, format: 'jwk' }));
  }
}
