import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { verify, type Signer } from '@avm402/algorand/ed25519';
import { uint64Bytes } from '../signing/program-template.ts';

const DOMAIN = new TextEncoder().encode('x402-claim');

/** What a seller asks its facilitator to claim when the channel closes. */
export interface Claim {
  readonly channelId: string;
  /** Atomic units: what was charged, all requests together. */
  readonly amount: bigint;
}

/**
 * The seller's word that this is its claim. Without it a payer could have its channel closed with its smallest voucher.
 * Returns 64 bytes (docs/specs/scheme_batch_settlement_avm.md, Claim).
 */
export function signClaim(signer: Signer, claim: Claim): Uint8Array {
  return signer.sign(signedBytes(claim));
}

/** Whether `authorization` is the word of the seller with this claim key, given as an address. */
export function isClaimSigned(authorization: Uint8Array, claim: Claim, claimAuthorizer: string): boolean {
  return verify(parseAddress(claimAuthorizer), signedBytes(claim), authorization);
}

/** A claim key's address: the offer's `extra.claimAuthorizer`. */
export function claimAuthorizerOf({ publicKey }: Signer): string {
  return formatAddress(publicKey);
}

function signedBytes({ channelId, amount }: Claim): Uint8Array {
  return Uint8Array.from([...DOMAIN, ...parseAddress(channelId), ...uint64Bytes(amount)]);
}
