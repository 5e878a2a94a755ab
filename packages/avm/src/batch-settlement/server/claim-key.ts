import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { createSigner } from '@avm402/algorand/ed25519';
import { type Claim, claimAuthorizerOf, signClaim } from '../claim-authorization.ts';

/** The seller's Ed25519 key for claims. It moves no money; it confirms which claims are the seller's. */
export interface ClaimKey {
  /** The offer's `extra.claimAuthorizer`. */
  readonly address: string;
  /** 64 bytes that confirm that this is the seller's claim. */
  authorize(claim: Claim): Uint8Array;
  /** An idempotency key for `about`, 64 hex digits. Only this seller can create it, and it is always the same. */
  idempotencyKey(about: string): string;
}

/**
 * Creates a claim key from its 32-byte seed.
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
