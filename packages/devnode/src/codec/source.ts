/** The shape of a source's next value. `bytes` stands for bytes and texts, which decode alike. */
export type ValueShape = 'nil' | 'map' | 'list' | 'bytes' | 'other';

/**
 * A source of values, read one after another: msgpack or JSON with algod's tolerance (go-codec, protocol/codec.go).
 * Schemas read through it, so both formats accept and refuse the same values.
 */
export interface Source {
  /** The shape of the next value, which is not consumed. */
  shape(): ValueShape;
  nil(): void;
  /** Opens a map or list and gives the number of its entries, or undefined if only its end will show it. */
  openMap(): number | undefined;
  openList(): number | undefined;
  /** Whether another entry follows after `index` entries. */
  hasNext(index: number, size: number | undefined): boolean;
  /** The key of a map's entry. */
  key(): string;
  /** The key of an entry in a map with integer keys. */
  integerKey(): bigint;
  /** An unsigned integer of at most `bits` bits. */
  unsigned(bits: number): bigint;
  signed(): bigint;
  boolean(): boolean;
  /** A copy of bytes, base64 in JSON. Without a copy, kept bytes would keep the whole request in memory. */
  bytes(): Uint8Array;
  /** The bytes of a text. */
  text(): Uint8Array;
  /** The 32 bytes of an address that is written as text (JSON); undefined if it is plain bytes (msgpack). */
  addressText(): Uint8Array | undefined;
  /** Makes an error at the present position. */
  error(problem: string): Error;
}

/** The error of bytes that end inside a value. */
export class EndOfInput extends Error {
  override readonly name = 'EndOfInput';
}
