import { encodeHex } from '../go/hex.ts';

/** The number of bits of a non-negative number; 0 has none. */
export function bitLength(value: bigint): number {
  return value === 0n ? 0 : value.toString(2).length;
}

/** The square root, rounded down (Newton's method from above). */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt((bitLength(value) + 1) >> 1);
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** Reads a big-endian number; no bytes are 0. */
export function bytesToInteger(bytes: Uint8Array): bigint {
  if (bytes.length <= 6) {
    let small = 0;
    for (const byte of bytes) small = small * 256 + byte;
    return BigInt(small);
  }
  return BigInt(encodeHex(bytes));
}

/** The last `length` bytes of a number, big-endian. */
export function integerToBytes(value: bigint, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let rest = value;
  for (let index = length - 1; index >= 0 && rest > 0n; index--) {
    bytes[index] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}

/** A number without leading zero bytes; 0 is empty. */
export function integerToShortestBytes(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array(0);
  const text = value.toString(16);
  const even = text.length % 2 === 0 ? text : `0${text}`;
  return Uint8Array.from({ length: even.length / 2 }, (_, index) =>
    Number.parseInt(even.slice(2 * index, 2 * index + 2), 16),
  );
}

/** The number of bits of a big-endian number, without leading zeros. */
export function bitLengthOfBytes(bytes: Uint8Array): number {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? 0 : 8 * (bytes.length - first) - (Math.clz32(bytes[first] ?? 0) - 24);
}
