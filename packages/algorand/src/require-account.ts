import type { Account } from './account.ts';
import { isAddress } from './address.ts';
import { AlgorandError } from './errors.ts';

/**
 * Returns the given value if it is an account. Anything else is refused without being shown, because it may be a
 * secret.
 * @throws AlgorandError `invalid_key`
 */
export function requireAccount(given: unknown): Account {
  if (isAccount(given)) return given;
  throw new AlgorandError('invalid_key', `the account ${describe(given)}; parseAccount(secret) makes one`);
}

function describe(given: unknown): string {
  if (given === undefined || given === null) return 'is missing';
  return typeof given === 'object' ? 'is some other object' : `is a ${typeof given}`;
}

function isAccount(given: unknown): given is Account {
  const { address, signerAddress, publicKey, sign, signTransaction }: Partial<Record<keyof Account, unknown>> =
    Object(given);
  return (
    [address, signerAddress].every((text) => typeof text === 'string' && isAddress(text)) &&
    ArrayBuffer.isView(publicKey) &&
    [sign, signTransaction].every((method) => typeof method === 'function')
  );
}
