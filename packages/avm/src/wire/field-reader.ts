import { isAddress } from '@avm402/algorand/address';
import { decodeBase64 } from '@avm402/algorand/base64';
import type { X402Error } from '@avm402/core/errors';
import { parseAtomicAmount } from '@avm402/core/price';

export const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * Reads the text fields of a scheme's wire forms. Each method takes the field's name, for its error message, and its
 * value.
 */
export class FieldReader {
  readonly #invalid: (what: string) => X402Error;

  constructor(invalid: (what: string) => X402Error) {
    this.#invalid = invalid;
  }

  address(name: string, value: unknown): string {
    if (typeof value !== 'string' || !isAddress(value)) throw this.#invalid(`${name} must be an address`);
    return value;
  }

  /** @throws X402Error `invalid_amount` also */
  amount(name: string, value: unknown): bigint {
    if (typeof value !== 'string') throw this.#invalid(`${name} must be text`);
    return parseAtomicAmount(value);
  }

  uint64(name: string, value: unknown): bigint {
    try {
      return this.amount(name, value);
    } catch {
      throw this.#invalid(`${name} must be a whole number below 2^64, as text`);
    }
  }

  /** Exactly `length` bytes, from base64. */
  bytes(name: string, value: unknown, length: number): Uint8Array {
    const decoded = typeof value === 'string' && value.length <= 2 * length ? decodeBase64(value) : undefined;
    if (decoded?.length !== length) throw this.#invalid(`${name} must be base64 of ${length} bytes`);
    return decoded;
  }
}
