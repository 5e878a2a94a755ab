import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { verify, type Signer } from '@avm402/algorand/ed25519';
import { uint64Bytes } from '../signing/program-template.ts';

const DOMAIN = new TextEncoder().encode('x402-claim');

/** The claim that a facilitator makes for a seller when a channel closes. */
export interface Claim {
  readonly channelId: string;
  /** The total charge of all requests, atomic units. */
  readonly amount: bigint;
}

/**
 * The seller's confirmation that this is its claim. Without it a payer could have its channel closed with its smallest
 * voucher. Returns 64 bytes (docs/specs/scheme_batch_settlement_avm.md, Claim).
 */
export function signClaim(signer: Signer, claim: Claim): Uint8Array {
  return signer.sign(signedBytes(claim));
}

/** Whether `authorization` was made by the seller with this claim key, given as an address. */
export function isClaimSigned(authorization: Uint8Array, claim: Claim, claimAuthorizer: string): boolean {
  return verify(parseAddress(claimAuthorizer), signedBytes(claim), authorization);
}

/** The address of a claim key: the offer's `extra.claimAuthorizer`. */
export function claimAuthorizerOf({ publicKey }: Signer): string {
  return formatAddress(publicKey);
}

function signedBytes({ channelId, amount }: Claim): Uint8Array {
  return Uint8Array.from([...DOMAIN, ...parseAddress(channelId), ...uint64Bytes(amount)]);
}
