import { sha512_256 } from './hash.ts';

/** Each seed is derived from this text followed by the account's name. */
const SEED_PREFIX = 'avm402 public development key, never use on a real network: ';

/**
 * The 32-byte seed of a named account of the development genesis (`LOCALNET`), for example `payer`. It is public: anyone
 * can derive it from the name.
 */
export function developmentSeed(name: string): Uint8Array {
  return sha512_256(new TextEncoder().encode(SEED_PREFIX + name));
}
