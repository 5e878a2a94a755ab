/** What the next value of a source is. `bytes` stands for bytes and texts, which decode alike. */
export type ValueShape = 'nil' | 'map' | 'list' | 'bytes' | 'other';

/**
 * Where values are read from, one after another: msgpack or JSON with algod's tolerance (go-codec, protocol/codec.go).
 * Schemas are read through it, so both formats accept and refuse alike.
 */
export interface Source {
  /** What comes next. Looks, but does not take. */
  shape(): ValueShape;
  nil(): void;
  /** Opens a map or list and gives the number of its entries, or undefined where only its end will tell. */
  openMap(): number | undefined;
  openList(): number | undefined;
  /** Whether another entry follows, after `index` of them. */
  hasNext(index: number, size: number | undefined): boolean;
  /** The key of a map's entry. */
  key(): string;
  /** The key of an entry of a map whose keys are integers. */
  integerKey(): bigint;
  /** An unsigned integer of at most `bits` bits. */
  unsigned(bits: number): bigint;
  signed(): bigint;
  boolean(): boolean;
  /** Bytes, base64 in JSON: a copy, for what is kept of a request would otherwise keep all of it. */
  bytes(): Uint8Array;
  /** The bytes of a text. */
  text(): Uint8Array;
  /** The 32 bytes of an address where it is written as text (JSON); undefined where it is plain bytes (msgpack). */
  addressText(): Uint8Array | undefined;
  /** An error at the present position. */
  error(problem: string): Error;
}

/** The bytes end inside a value. */
export class EndOfInput extends Error {
  override readonly name = 'EndOfInput';
}
