import type { Account } from '@avm402/algorand/account';
import { sha512_256 } from '@avm402/algorand/hash';

const DOMAIN = new TextEncoder().encode('x402-session-key');

/**
 * The 32-byte seed of a channel's session key, derived from the account's own key, so that the account and the
 * channel's configuration are enough to recover it. Ed25519 signs the same bytes in the same way each time; the
 * signature never leaves this function.
 */
export function deriveSessionSeed(
  account: Pick<Account, 'sign'>,
  { genesisHash, salt }: { readonly genesisHash: Uint8Array; readonly salt: Uint8Array },
): Uint8Array {
  return sha512_256(account.sign(Uint8Array.from([...DOMAIN, ...genesisHash, ...salt])));
}
