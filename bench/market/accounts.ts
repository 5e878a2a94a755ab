import { createHash } from 'node:crypto';
import { accountFromSeed, encodePrivateKey } from '@avm402/algorand/account';

/** The account with this name; always the same. */
function benchAccount(name: string) {
  const seed = createHash('sha256').update(`avm402 bench ${name}`).digest();
  return { address: accountFromSeed(seed).address, privateKey: encodePrivateKey(seed) };
}

export const merchant = benchAccount('merchant');
export const sponsor = benchAccount('sponsor');
/** One payer for each worker. */
export const payers = Array.from({ length: 100 }, (_, index) => benchAccount(`payer ${index}`));
