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
