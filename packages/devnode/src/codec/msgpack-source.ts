import { DevnodeError, refused } from '../errors.ts';
import { EndOfInput, type Source, type ValueShape } from './source.ts';
import { exactText } from '@avm402/teal/go';

const NIL = 0xc0;
const FALSE = 0xc2;
const TRUE = 0xc3;

/** go-codec reads long bytes in pieces of this size, and reports the position of the piece that failed. */
const READ_CHUNK = 65_536;

/** The most entries of lists and maps. A group of the largest multisigs has 13,000; one of a byte may take hundreds. */
const MAX_ENTRIES = 100_000;

/** go-codec's numbers for kinds of containers, as its messages print them. */
const CONTAINER_OTHER = '0x0';
const CONTAINER_NIL = '0x1';

/** Reads msgpack as algod's REST routes do: unsorted, non-minimal, texts for bytes and lists for maps are all accepted. */
export class MsgpackSource implements Source {
  readonly #bytes: Buffer;
  /** The same bytes as a plain array, because `slice` of a Buffer would not copy. */
  readonly #plain: Uint8Array;
  readonly #cut: boolean;
  #position = 0;
  #entries = 0;
  /** The first byte of the next value, once it has been read. */
  #descriptor = -1;

  /** `cut`: whether the body went on after these bytes. */
  constructor(bytes: Uint8Array, { cut = false }: { readonly cut?: boolean } = {}) {
    this.#cut = cut;
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get atEnd(): boolean {
    return this.#descriptor === -1 && this.#position === this.#bytes.length;
  }

  shape(): ValueShape {
    const code = this.#peek();
    if (code < 0x80 || code >= 0xe0) return 'other';
    if (code < 0x90) return 'map';
    if (code < 0xa0) return 'list';
    if (code < 0xc0) return 'bytes';
    return SHAPES[code - NIL] ?? 'other';
  }

  nil(): void {
    this.#descriptor = -1;
  }

  openMap(): number {
    const code = this.#takeDescriptor();
    if (code < 0x90) return code & 0x0f;
    return this.#length(code - 0xdd);
  }

  openList(): number {
    const code = this.#takeDescriptor();
    if (code < 0xa0) return code & 0x0f;
    return this.#length(code - 0xdb);
  }

  hasNext(index: number, size: number): boolean {
    if (index >= size) return false;
    // Differs from algod: entry-budget
    if (this.#entries === MAX_ENTRIES) throw this.error(`more than ${MAX_ENTRIES} entries in lists and maps`);
    this.#entries++;
    return true;
  }

  key(): string {
    const key = this.#isList() ? Buffer.from(this.bytes()).toString('latin1') : this.#shortText();
    if (key === '') throw this.error('runtime error: index out of range [0] with length 0');
    return key;
  }

  integerKey(): bigint {
    return this.unsigned(64);
  }

  unsigned(bits: number): bigint {
    const code = this.#takeDescriptor();
    const value = code < 0x80 ? BigInt(code) : this.#wideUnsigned(code);
    if (bits < 64 && value >> BigInt(bits) !== 0n) throw this.error(`uint64 overflow: ${value}`);
    return value;
  }

  signed(): bigint {
    const code = this.#takeDescriptor();
    if (code < 0x80) return BigInt(code);
    if (code >= 0xe0) return BigInt(code - 0x100);
    if (code < 0xcc || code > 0xd3) {
      throw this.error(`cannot decode signed integer: unrecognized descriptor byte: ${describe(code)}`);
    }
    // go-codec reads an unsigned integer of 64 bits into a signed one without a check.
    return BigInt.asIntN(64, this.#integer(code));
  }

  boolean(): boolean {
    const code = this.#takeDescriptor();
    if (code === TRUE || code === 1) return true;
    if (code === FALSE || code === 0) return false;
    throw this.error(`cannot decode bool: unrecognized descriptor byte: ${describe(code)}`);
  }

  bytes(): Uint8Array {
    if (this.#isList()) return this.#numberList();
    const length = this.#textLength();
    const start = this.#take(length);
    return this.#plain.slice(start, start + length);
  }

  text(): Uint8Array {
    return this.bytes();
  }

  addressText(): undefined {
    return undefined;
  }

  error(problem: string): DevnodeError {
    return refused(`msgpack decode error [pos ${this.#position}]: ${exactText(problem)}`);
  }

  #wideUnsigned(code: number): bigint {
    if (code >= 0xe0) throw this.error(`assigning negative signed value: ${code}, to unsigned type`);
    if (code < 0xcc || code > 0xd3) {
      throw this.error(`cannot decode unsigned integer: unrecognized descriptor byte: ${describe(code)}`);
    }
    const value = this.#integer(code);
    if (value < 0n) throw this.error(`assigning negative signed value: ${value}, to unsigned type`);
    return value;
  }

  #integer(code: number): bigint {
    const at = this.#take(1 << (code & 3));
    switch (code) {
      case 0xcc:
        return BigInt(this.#bytes.readUInt8(at));
      case 0xcd:
        return BigInt(this.#bytes.readUInt16BE(at));
      case 0xce:
        return BigInt(this.#bytes.readUInt32BE(at));
      case 0xcf:
        return this.#bytes.readBigUInt64BE(at);
      case 0xd0:
        return BigInt(this.#bytes.readInt8(at));
      case 0xd1:
        return BigInt(this.#bytes.readInt16BE(at));
      case 0xd2:
        return BigInt(this.#bytes.readInt32BE(at));
      default:
        return this.#bytes.readBigInt64BE(at);
    }
  }

  /** The length of the text or bytes that follow. */
  #textLength(): number {
    const shape = this.shape();
    if (shape !== 'bytes') {
      const container = shape === 'map' ? '0x9' : shape === 'nil' ? CONTAINER_NIL : CONTAINER_OTHER;
      throw this.error(`invalid container type: expecting bin|str|array, got: ${container}`);
    }
    const code = this.#takeDescriptor();
    return code < 0xc0 ? code & 0x1f : this.#length(code < 0xc8 ? code - 0xc4 : code - 0xd9);
  }

  #shortText(): string {
    const length = this.#textLength();
    const start = this.#take(length);
    return this.#bytes.toString('latin1', start, start + length);
  }

  #isList(): boolean {
    return this.shape() === 'list';
  }

  #numberList(): Uint8Array {
    const size = this.openList();
    const numbers: number[] = [];
    while (this.hasNext(numbers.length, size)) numbers.push(Number(this.unsigned(8)));
    return Uint8Array.from(numbers);
  }

  /** A length of 1, 2 or 4 bytes (`log2Width` 0, 1, 2). */
  #length(log2Width: number): number {
    return this.#bytes.readUIntBE(this.#take(1 << log2Width), 1 << log2Width);
  }

  #peek(): number {
    if (this.#descriptor === -1) this.#descriptor = this.#bytes[this.#take(1)] ?? 0;
    return this.#descriptor;
  }

  #takeDescriptor(): number {
    const code = this.#peek();
    this.#descriptor = -1;
    return code;
  }

  #take(length: number): number {
    const start = this.#position;
    const left = this.#bytes.length - start;
    if (length > left) throw this.#cut ? this.#tooLarge(left) : new EndOfInput();
    this.#position = start + length;
    return start;
  }

  #tooLarge(left: number): DevnodeError {
    this.#position += left - (left % READ_CHUNK);
    return this.error('code=413, message=Request Entity Too Large');
  }
}

/** Shapes of the codes from 0xc0 on. */
const SHAPES: readonly ValueShape[] = Array.from({ length: 0x20 }, (_, offset) => {
  const code = NIL + offset;
  if (code === NIL) return 'nil';
  if ((code >= 0xc4 && code <= 0xc6) || (code >= 0xd9 && code <= 0xdb)) return 'bytes';
  if (code === 0xdc || code === 0xdd) return 'list';
  return code >= 0xde ? 'map' : 'other';
});

/** A first byte and its meaning, e.g. `c4/bytes`. */
function describe(code: number): string {
  return `${code.toString(16)}/${nameOf(code)}`;
}

function nameOf(code: number): string {
  if (code < 0x80 || code >= 0xe0) return 'int';
  if (code < 0x90) return 'map';
  if (code < 0xa0) return 'array';
  if (code < 0xc0) return 'string|bytes';
  return NAMES[code - NIL] ?? 'unknown';
}

/** Names of the codes from 0xc0 on. */
const NAMES: readonly string[] = (
  'nil unknown false true bytes bytes bytes ext ext ext float float uint uint uint uint int int int int ' +
  'ext ext ext ext ext string|bytes string|bytes string|bytes array array map map'
).split(' ');
