import { MAX_UINT64 } from '../codec/integer.ts';
const MAX_UVARINT_BYTES = 10;

/** An unsigned varint and the place behind it; undefined where there is none. */
function readUvarint(bytes: Uint8Array, start: number): { readonly value: bigint; readonly end: number } | undefined {
  let value = 0n;
  for (let index = 0; index < MAX_UVARINT_BYTES; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return value <= MAX_UINT64 ? { value, end: start + index + 1 } : undefined;
  }
  return undefined;
}

/** The version at the head of a program, or algod's words for why there is none. */
export function programVersion(program: Uint8Array): bigint | string {
  if (program.length === 0) return 'invalid program (empty)';
  return readUvarint(program, 0)?.value ?? 'invalid version';
}
