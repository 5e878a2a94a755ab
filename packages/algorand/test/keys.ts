import { accountFromSeed } from '../src/account.ts';
import { type AlgorandError, isAlgorandError } from '../src/errors.ts';

/** The two keys of algod's published test vectors: seed bytes 00…1f and 20…3f. */
export const SEED_1 = Uint8Array.from({ length: 32 }, (_, index) => index);
const SEED_2 = Uint8Array.from({ length: 32 }, (_, index) => 32 + index);

export const ACCOUNT_1 = accountFromSeed(SEED_1);
export const ACCOUNT_2 = accountFromSeed(SEED_2);

export function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

export function bytesOfBase64(base64: string): Uint8Array {
  return Uint8Array.from(Buffer.from(base64, 'base64'));
}

/** The code of the error that `run` throws; fails the test if it throws none. */
export function codeOf(run: () => unknown): unknown {
  return errorOf(run).code;
}

export function errorOf(run: () => unknown): AlgorandError {
  try {
    run();
  } catch (error) {
    if (isAlgorandError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
