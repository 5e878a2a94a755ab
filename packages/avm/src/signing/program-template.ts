import { decodeBase64 } from '@avm402/algorand/base64';

/** Version 10 is the oldest with everything that the templates use, so every network runs them. */
const VERSION = 10;
const BYTECBLOCK = 0x26;

/**
 * Builds a program with its constants in one `bytecblock` at the start; its code refers to them by index. The bytes
 * equal those that the TEAL template of the same name assembles to (packages/avm/test/programs.test.ts).
 */
export function fillTemplate(constants: readonly Uint8Array[], code: Uint8Array): Uint8Array {
  // Counts and lengths are varints of one byte, because none reaches 128.
  const block = constants.flatMap((constant) => [constant.length, ...constant]);
  return Uint8Array.from([VERSION, BYTECBLOCK, constants.length, ...block, ...code]);
}

const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * 8 bytes, big endian, as `btoi` reads them. A number beyond 64 bits would become a different one, for example another
 * asset's id.
 * @throws RangeError
 */
export function uint64Bytes(value: bigint): Uint8Array {
  if (value < 0n || value > MAX_UINT64) throw new RangeError(`${value} does not fit 64 bits`);
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}

/** The prefix that the AVM puts before a program that is hashed or signed. */
const DOMAIN = new TextEncoder().encode('Program');

/**
 * The bytes that a key signs to let a program act for its account. The address of the program's own account is their
 * hash.
 */
export function programSigningBytes(program: Uint8Array): Uint8Array {
  return Uint8Array.from([...DOMAIN, ...program]);
}

/** A template's code, from base64. */
export function programCode(base64: string): Uint8Array {
  const code = decodeBase64(base64);
  if (code === undefined) throw new TypeError('a template is not base64');
  return code;
}
