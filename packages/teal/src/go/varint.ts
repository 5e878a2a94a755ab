/** The reason why a varint can't be read: the bytes end, or it has more than 64 bits. */
export type VarintProblem = 'short' | 'overflow';

export interface Varint {
  readonly value: bigint;
  /** The position after its last byte. */
  readonly end: number;
}

const MAX_LENGTH = 10;
/** The bytes whose bits a plain number holds exactly; big integers are slow. */
const PLAIN_LENGTH = 7;

/** Reads an unsigned varint of up to 64 bits, padded or not, as Go's `binary.Uvarint` does. */
export function readVarint(bytes: Uint8Array, start: number): Varint | VarintProblem {
  let low = 0;
  let high = 0n;
  for (let length = 0; start + length < bytes.length; length++) {
    const byte = bytes[start + length] ?? 0;
    if (length === MAX_LENGTH || (length === MAX_LENGTH - 1 && byte > 1)) return 'overflow';
    const bits = byte & 0x7f;
    if (length < PLAIN_LENGTH) low += bits * 128 ** length;
    else high |= BigInt(bits) << BigInt(7 * length);
    if (byte < 0x80) return { value: high | BigInt(low), end: start + length + 1 };
  }
  return 'short';
}

/** Reads a signed varint (zigzag: 0, -1, 1, -2 …). */
export function readSignedVarint(bytes: Uint8Array, start: number): Varint | VarintProblem {
  const read = readVarint(bytes, start);
  if (typeof read === 'string') return read;
  const { value, end } = read;
  return { value: value & 1n ? -(value >> 1n) - 1n : value >> 1n, end };
}

/** A number as a varint: seven bits per byte, lowest first; a set high bit says that more bytes follow. */
export function varint(value: bigint | number): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return bytes;
}

/** The number of bytes of a number's varint. */
export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/** Maps a signed number to the varint's number: 0, -1, 1, -2 … become 0, 1, 2, 3 … */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}
