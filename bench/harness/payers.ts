import { createHash } from 'node:crypto';
import { accountFromSeed, encodePrivateKey } from '@avm402/algorand/account';

/** An account of the benchmarks' own. */
export interface Payer {
  readonly address: string;
  /** Base64 of 64 bytes. */
  readonly privateKey: string;
}

/** The account with this name; always the same. */
export function benchAccount(name: string): Payer {
  const seed = createHash('sha256').update(`avm402 bench ${name}`).digest();
  return { address: accountFromSeed(seed).address, privateKey: encodePrivateKey(seed) };
}

/** One account for each of so many workers. */
export function payers(count: number): Payer[] {
  return Array.from({ length: count }, (_, index) => benchAccount(`payer ${index}`));
}
