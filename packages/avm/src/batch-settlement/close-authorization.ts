import { parseAddress } from '@avm402/algorand/address';
import { type Signer, verify } from '@avm402/algorand/ed25519';

/** Programs sign and check under another domain, so this signature is never a voucher's. */
const DOMAIN = new TextEncoder().encode('x402-close');

/**
 * The payer's request to close its channel early. It names no amount: the seller claims what it has charged, at most
 * the highest voucher. A voucher would not do, because everybody who has seen a request has its voucher. Returns 64
 * bytes (docs/specs/scheme_batch_settlement_avm.md, Early close).
 */
export function signClose(signer: Signer, channelId: string): Uint8Array {
  return signer.sign(signedBytes(channelId));
}

/** Whether `authorization` was signed by the channel's `payerAuthorizer`, given as an address. */
export function isCloseSigned(authorization: Uint8Array, channelId: string, payerAuthorizer: string): boolean {
  return verify(parseAddress(payerAuthorizer), signedBytes(channelId), authorization);
}

function signedBytes(channelId: string): Uint8Array {
  return Uint8Array.from([...DOMAIN, ...parseAddress(channelId)]);
}
