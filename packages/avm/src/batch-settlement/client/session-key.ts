import type { Account } from '@avm402/algorand/account';
import { sha512_256 } from '@avm402/algorand/hash';

const DOMAIN = new TextEncoder().encode('x402-session-key');

/**
 * The seed of a channel's session key, 32 bytes, from the account's own key: whoever has the account and the channel's
 * configuration needs nothing else. Ed25519 signs the same bytes in the same way each time; the signature stays here.
 */
export function deriveSessionSeed(
  account: Pick<Account, 'sign'>,
  { genesisHash, salt }: { readonly genesisHash: Uint8Array; readonly salt: Uint8Array },
): Uint8Array {
  return sha512_256(account.sign(Uint8Array.from([...DOMAIN, ...genesisHash, ...salt])));
}
