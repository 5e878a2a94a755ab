import { AlgorandError } from './errors.ts';

const UTF8 = new TextEncoder();
const LONE_SURROGATE = /\p{Surrogate}/u;
const INITIAL_CAPACITY = 512;
const MAX_UINT64 = 2n ** 64n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** Writes canonical msgpack: the shortest form of every integer and header, bytes as `bin`, text as `str`. */
export class MsgpackWriter {
  #bytes = new Uint8Array(INITIAL_CAPACITY);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** The bytes written so far, as a copy. */
  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** The bytes written so far, as a view of the writer's memory: the next write may change them. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Forgets what was written, but keeps the memory. */
  clear(): this {
    this.#length = 0;
    return this;
  }

  /** Writes bytes that are msgpack already. */
  raw(encoded: Uint8Array): this {
    this.#reserve(encoded.length);
    this.#bytes.set(encoded, this.#length);
    this.#length += encoded.length;
    return this;
  }

  nil(): this {
    return this.#byte(0xc0);
  }

  boolean(value: boolean): this {
    return this.#byte(value ? 0xc3 : 0xc2);
  }

  /** Writes an integer from -2^63 to 2^64 - 1; a `number` must be a safe integer. */
  integer(value: bigint | number): this {
    if (typeof value === 'number') {
      if (!Number.isSafeInteger(value)) {
        throw new AlgorandError('invalid_msgpack', 'a number must be a safe integer; use a bigint beyond 2^53');
      }
      return value >= 0 ? this.#unsigned(value) : this.#signed(BigInt(value));
    }
    if (value < MIN_INT64 || value > MAX_UINT64) {
      throw new AlgorandError('invalid_msgpack', 'an integer must fit 64 bits');
    }
    if (value < 0n) return this.#signed(value);
    return value <= 0xffff_ffffn ? this.#unsigned(Number(value)) : this.#unsigned64(value);
  }

  /** Writes text as UTF-8. */
  text(value: string): this {
    if (this.#shortAscii(value)) return this;
    if (LONE_SURROGATE.test(value)) throw new AlgorandError('invalid_msgpack', 'a text holds half a surrogate pair');
    return this.textBytes(UTF8.encode(value));
  }

  /** Writes text given as bytes, which need not be UTF-8. */
  textBytes(encoded: Uint8Array): this {
    if (encoded.length < 32) this.#byte(0xa0 | encoded.length);
    else this.#sizedHeader(encoded.length, 0xd9, 0xda, 0xdb);
    return this.raw(encoded);
  }

  bytes(value: Uint8Array): this {
    return this.#sizedHeader(value.length, 0xc4, 0xc5, 0xc6).raw(value);
  }

  /** Writes the header of an array; its `length` items must follow. */
  arrayHeader(length: number): this {
    return length < 16 ? this.#byte(0x90 | length) : this.#sizedHeader(length, undefined, 0xdc, 0xdd);
  }

  /** Writes the header of a map; `size` keys in canonical order, each with its value, must follow. */
  mapHeader(size: number): this {
    return size < 16 ? this.#byte(0x80 | size) : this.#sizedHeader(size, undefined, 0xde, 0xdf);
  }

  /** Keys and most texts are short and ASCII; writing those directly is several times faster than a TextEncoder. */
  #shortAscii(value: string): boolean {
    if (value.length >= 32) return false;
    this.#reserve(1 + value.length);
    const start = this.#length + 1;
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index);
      if (code >= 0x80) return false;
      this.#bytes[start + index] = code;
    }
    this.#bytes[this.#length] = 0xa0 | value.length;
    this.#length = start + value.length;
    return true;
  }

  #sizedHeader(size: number, code8: number | undefined, code16: number, code32: number): this {
    if (code8 !== undefined && size <= 0xff) return this.#byte(code8).#byte(size);
    return size <= 0xffff ? this.#byte(code16).#uint16(size) : this.#byte(code32).#uint32(size);
  }

  #unsigned(value: number): this {
    if (value < 0x80) return this.#byte(value);
    if (value <= 0xff) return this.#byte(0xcc).#byte(value);
    if (value <= 0xffff) return this.#byte(0xcd).#uint16(value);
    return value <= 0xffff_ffff ? this.#byte(0xce).#uint32(value) : this.#unsigned64(BigInt(value));
  }

  #unsigned64(value: bigint): this {
    this.#byte(0xcf).#reserve(8);
    this.#view.setBigUint64(this.#length, value);
    this.#length += 8;
    return this;
  }

  #signed(value: bigint): this {
    if (value >= -32n) return this.#byte(Number(value) & 0xff);
    if (value >= -0x80n) return this.#byte(0xd0).#byte(Number(value) & 0xff);
    if (value >= -0x8000n) return this.#byte(0xd1).#uint16(Number(value) & 0xffff);
    if (value >= -0x8000_0000n) return this.#byte(0xd2).#uint32(Number(value) >>> 0);
    this.#byte(0xd3).#reserve(8);
    this.#view.setBigInt64(this.#length, value);
    this.#length += 8;
    return this;
  }

  #byte(value: number): this {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
    return this;
  }

  #uint16(value: number): this {
    this.#reserve(2);
    this.#view.setUint16(this.#length, value);
    this.#length += 2;
    return this;
  }

  #uint32(value: number): this {
    this.#reserve(4);
    this.#view.setUint32(this.#length, value);
    this.#length += 4;
    return this;
  }

  #reserve(extra: number): void {
    const needed = this.#length + extra;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}
