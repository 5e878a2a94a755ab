import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { createSigner } from '@avm402/algorand/ed25519';
import { type Claim, claimAuthorizerOf, signClaim } from '../claim-authorization.ts';

/** The seller's Ed25519 key for claims. It moves no money: it says which claims are the seller's. */
export interface ClaimKey {
  /** The offer's `extra.claimAuthorizer`. */
  readonly address: string;
  /** 64 bytes: the seller's word that this is its claim. */
  authorize(claim: Claim): Uint8Array;
  /** An idempotency key that only this seller can make, and always makes again: 64 hex digits for what it is about. */
  idempotencyKey(about: string): string;
}

/**
 * A claim key from its seed of 32 bytes.
 * @throws AlgorandError `invalid_key` for any other length
 */
export function claimKeyOf(seed: Uint8Array): ClaimKey {
  const signer = createSigner(seed);
  const secret = Uint8Array.from(seed);
  return {
    address: claimAuthorizerOf(signer),
    authorize: (claim) => signClaim(signer, claim),
    idempotencyKey: (about) => bytesToHex(hmac(sha256, secret, new TextEncoder().encode(about))),
  };
}
