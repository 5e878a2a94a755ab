import { AlgorandError } from './errors.ts';
import { plainBytes } from './bytes.ts';

export type MsgpackKey = string | bigint | Uint8Array;

/** A decoded value: every integer is a bigint, every map a Map. */
export type MsgpackValue =
  | null
  | boolean
  | bigint
  | string
  | Uint8Array
  | MsgpackValue[]
  | Map<MsgpackKey, MsgpackValue>;

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface DecodeMsgpackOptions {
  /** How deep maps and lists may nest. Default 32. */
  readonly maxDepth?: number;
  /**
   * How to read text that is not UTF-8: throw an error (default), or return its bytes. algod writes arbitrary bytes as
   * text in the logs and state deltas of applications, so blocks need `'bytes'`.
   */
  readonly invalidUtf8?: 'refuse' | 'bytes';
}

/**
 * Reads msgpack values one after another. No memory is allocated because a length claims it: bytes and texts are
 * checked against what is left, and lists and maps grow with the items that are really there.
 */
export class MsgpackReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #maxDepth: number;
  readonly #invalidUtf8: 'refuse' | 'bytes';
  #offset = 0;
  #depth = 0;

  constructor(bytes: Uint8Array, { maxDepth = 32, invalidUtf8 = 'refuse' }: DecodeMsgpackOptions = {}) {
    this.#bytes = plainBytes(bytes);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#maxDepth = maxDepth;
    this.#invalidUtf8 = invalidUtf8;
  }

  /** Number of bytes read so far. */
  get offset(): number {
    return this.#offset;
  }

  get atEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  /** The next value. */
  value(): MsgpackValue {
    const code = this.#view.getUint8(this.#take(1));
    if (code < 0x80) return BigInt(code);
    if (code < 0x90) return this.#map(code & 0x0f);
    if (code < 0xa0) return this.#array(code & 0x0f);
    if (code < 0xc0) return this.#text(code & 0x1f);
    if (code >= 0xe0) return BigInt(code - 0x100);
    if (code >= 0xcc && code <= 0xd3) return this.#integer(code);
    return this.#sized(code);
  }

  #sized(code: number): MsgpackValue {
    if (code === 0xc0) return null;
    if (code === 0xc2 || code === 0xc3) return code === 0xc3;
    if (code >= 0xc4 && code <= 0xc6) return this.#binary(this.#size(code - 0xc4));
    if (code >= 0xd9 && code <= 0xdb) return this.#text(this.#size(code - 0xd9));
    if (code === 0xdc || code === 0xdd) return this.#array(this.#size(code - 0xdb));
    if (code === 0xde || code === 0xdf) return this.#map(this.#size(code - 0xdd));
    throw this.#error(`kind 0x${code.toString(16)} (a float or an extension) does not occur in Algorand's msgpack`);
  }

  #integer(code: number): bigint {
    const at = this.#take(1 << (code & 3));
    switch (code) {
      case 0xcc:
        return BigInt(this.#view.getUint8(at));
      case 0xcd:
        return BigInt(this.#view.getUint16(at));
      case 0xce:
        return BigInt(this.#view.getUint32(at));
      case 0xcf:
        return this.#view.getBigUint64(at);
      case 0xd0:
        return BigInt(this.#view.getInt8(at));
      case 0xd1:
        return BigInt(this.#view.getInt16(at));
      case 0xd2:
        return BigInt(this.#view.getInt32(at));
      default:
        return this.#view.getBigInt64(at);
    }
  }

  /** A length of 1, 2 or 4 bytes (`log2Width` 0, 1, 2). */
  #size(log2Width: number): number {
    const at = this.#take(1 << log2Width);
    if (log2Width === 0) return this.#view.getUint8(at);
    return log2Width === 1 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  #binary(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#bytes.slice(start, start + length);
  }

  #text(length: number): string | Uint8Array {
    const start = this.#take(length);
    const encoded = this.#bytes.subarray(start, start + length);
    const ascii = asciiText(encoded);
    if (ascii !== undefined) return ascii;
    try {
      return STRICT_UTF8.decode(encoded);
    } catch (cause) {
      if (this.#invalidUtf8 === 'bytes') return encoded.slice();
      throw this.#error('a text is not valid UTF-8', cause);
    }
  }

  #array(length: number): MsgpackValue[] {
    return this.#nested(() => {
      const items: MsgpackValue[] = [];
      for (let index = 0; index < length; index++) items.push(this.value());
      return items;
    });
  }

  #map(size: number): Map<MsgpackKey, MsgpackValue> {
    return this.#nested(() => {
      const map = new Map<MsgpackKey, MsgpackValue>();
      for (let index = 0; index < size; index++) {
        const key = this.#key();
        if (map.has(key)) throw this.#error(`key ${String(key)} occurs twice`);
        map.set(key, this.value());
      }
      return map;
    });
  }

  #key(): MsgpackKey {
    const key = this.value();
    if (typeof key === 'string' || typeof key === 'bigint' || key instanceof Uint8Array) return key;
    throw this.#error('the key of a map must be text, an integer or bytes');
  }

  #nested<T>(read: () => T): T {
    if (this.#depth === this.#maxDepth) throw this.#error(`nested deeper than ${this.#maxDepth}`);
    this.#depth++;
    const result = read();
    this.#depth--;
    return result;
  }

  #take(length: number): number {
    const start = this.#offset;
    if (length > this.#bytes.length - start) throw this.#error('the bytes end inside a value');
    this.#offset = start + length;
    return start;
  }

  #error(message: string, cause?: unknown): AlgorandError {
    return new AlgorandError('invalid_msgpack', `msgpack at byte ${this.#offset}: ${message}`, { cause });
  }
}

/** Keys and most texts are short and ASCII; decoding them directly is several times faster than a TextDecoder. */
function asciiText(encoded: Uint8Array): string | undefined {
  if (encoded.length > 64) return undefined;
  let text = '';
  for (const byte of encoded) {
    if (byte >= 0x80) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}
