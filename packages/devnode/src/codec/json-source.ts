import { addressOr } from './address-text.ts';
import { MAX_INT64, MAX_UINT64 } from './integer.ts';
import { DevnodeError, refused } from '../errors.ts';
import { EndOfInput, type Source, type ValueShape } from './source.ts';
import { decodeBase64, exactText, isBytes, PADDED_BASE64 } from '@avm402/teal/go';

const NUMBER_CHARACTERS = /[\d+\-.eE]/;

/** A list or map, in the words of go-codec's messages. */
interface Container {
  readonly container: string;
  readonly entry: string;
  readonly close: string;
}

const MAP: Container = { container: 'map', entry: 'map key', close: '}' };
const LIST: Container = { container: 'array', entry: 'array element', close: ']' };

/**
 * Reads JSON as algod's codec does (go-codec, encoding json): addresses are texts, bytes are base64, integers may be
 * texts or written as 9.0 or 9e0. It stops at the end of the value and ignores everything after it.
 */
export class JsonSource implements Source {
  readonly #text: string;
  #position = 0;
  readonly #containers: Container[] = [];
  /** The first character of the next value, once it has been read. */
  #opened = '';

  /** `bytes` is UTF-8; positions in errors count its bytes. */
  constructor(bytes: Uint8Array) {
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  }

  shape(): ValueShape {
    // go-codec looks twice: first for null, then for anything else. #peek says when that makes a difference.
    this.#peek();
    switch (this.#peek()) {
      case 'n':
        return 'nil';
      case '{':
        return 'map';
      case '[':
        return 'list';
      case '"':
        return 'bytes';
      default:
        return 'other';
    }
  }

  nil(): void {
    this.#literal('ull');
  }

  openMap(): undefined {
    this.#open(MAP);
  }

  openList(): undefined {
    this.#open(LIST);
  }

  hasNext(index: number): boolean {
    const { entry, container, close } = this.#containers.at(-1) ?? LIST;
    if (['}', ']'].includes(this.#peek())) {
      this.#expect(close, `${container} end`);
      this.#containers.pop();
      return false;
    }
    if (index > 0) this.#expect(',', entry);
    return true;
  }

  key(): string {
    if (this.#peek() !== '"') throw this.error(`expect char '"' but got char '${this.#peek()}'`);
    const key = this.#quoted();
    this.#expect(':', 'map value');
    return key;
  }

  integerKey(): bigint {
    const key = this.key();
    if (!/^\d{1,20}$/.test(key)) throw this.error(`invalid syntax parsing unsigned integer: ${key}`);
    const value = BigInt(key);
    if (value > MAX_UINT64) throw this.error(`overflow parsing unsigned integer: ${key}`);
    return value;
  }

  unsigned(bits: number): bigint {
    const digits = this.#number();
    if (digits.startsWith('-')) throw this.error(`minus found parsing unsigned integer: ${digits}`);
    const value = this.#integer(digits);
    if (value > MAX_UINT64) throw this.error(`overflow parsing unsigned integer: ${digits}`);
    if (value >> BigInt(bits) !== 0n) throw this.error(`uint64 overflow: ${value}`);
    return value;
  }

  signed(): bigint {
    const digits = this.#number();
    const negative = digits.startsWith('-');
    const value = this.#integer(negative ? digits.slice(1) : digits);
    if (value > MAX_INT64 + (negative ? 1n : 0n)) throw this.error(`overflow parsing integer: ${digits}`);
    return negative ? -value : value;
  }

  boolean(): boolean {
    const character = this.#peek();
    if (character === 't') return this.#literal('rue');
    if (character === 'f') return !this.#literal('alse');
    throw this.error(`decode bool: got first char ${character}`);
  }

  bytes(): Uint8Array {
    const encoded = this.#quoted();
    const decoded = decodeBase64(Buffer.from(encoded, 'latin1'), PADDED_BASE64);
    if (isBytes(decoded)) return Uint8Array.from(decoded);
    const reason = `illegal base64 data at input byte ${decoded.corruptAt}`;
    throw this.error(`error decoding base64 binary '${encoded}': ${reason}`);
  }

  /** A text; a number or a literal is read as its characters. */
  text(): Uint8Array {
    const text = this.#peek() === '"' ? this.#quoted() : this.#word();
    return Uint8Array.from(Buffer.from(text, 'latin1'));
  }

  addressText(): Uint8Array {
    return addressOr(this.#quoted(), (reason) => this.error(reason));
  }

  error(problem: string): DevnodeError {
    return refused(`json decode error [pos ${this.#position}]: ${exactText(problem)}`);
  }

  /** An integer that may be written with fraction and exponent, e.g. `15e2`. */
  #integer(text: string): bigint {
    const [, whole = '', fraction = '', exponent = '0'] = /^(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
    if (whole === '' && text !== '') throw this.error(`invalid syntax for integer: ${text}`);
    const zeros = Math.min(Number(exponent), MAX_DIGITS) - fraction.length;
    const digits = whole + fraction + '0'.repeat(Math.max(0, zeros));
    const end = Math.max(0, digits.length + Math.min(0, zeros));
    if (/[1-9]/.test(digits.slice(end))) throw this.error(`fractional part found parsing integer: ${text}`);
    const integer = digits.slice(0, end).replace(/^0+/, '');
    if (integer.length > MAX_DIGITS) throw this.error(`overflow parsing integer: ${text}`);
    return BigInt(integer);
  }

  /** The characters of a number, which may be in quotes. */
  #number(): string {
    return this.#peek() === '"' ? this.#quoted() : this.#word();
  }

  #word(): string {
    const start = this.#position - 1;
    let end = start;
    while (end < this.#text.length && NUMBER_CHARACTERS.test(this.#text[end] ?? '')) end++;
    if (end > start) {
      this.#opened = '';
      this.#position = end;
    }
    return this.#text.slice(start, end);
  }

  #literal(rest: string): true {
    const found = this.#text.slice(this.#position, this.#position + rest.length);
    if (found.length < rest.length) throw new EndOfInput();
    if (found !== rest) throw this.error(`expecting ${rest}: got ${found}`);
    this.#position += rest.length;
    this.#opened = '';
    return true;
  }

  /** A text in quotes, as one character per byte of its UTF-8. */
  #quoted(): string {
    const start = this.#position;
    let end = start;
    while (this.#text[end] !== '"') {
      if (end >= this.#text.length) throw new EndOfInput();
      end += this.#text[end] === '\\' ? 2 : 1;
    }
    this.#position = end + 1;
    this.#opened = '';
    const raw = this.#text.slice(start, end);
    return raw.includes('\\') ? this.#unescape(raw) : raw;
  }

  #unescape(raw: string): string {
    try {
      const text: unknown = JSON.parse(`"${Buffer.from(raw, 'latin1').toString('utf8')}"`);
      return Buffer.from(String(text), 'utf8').toString('latin1');
    } catch {
      throw this.error('unsupported escaped value');
    }
  }

  #open(container: Container): void {
    this.#opened = '';
    this.#containers.push(container);
  }

  /** Reads a delimiter. */
  #expect(delimiter: string, what: string): void {
    const found = this.#peek();
    if (found !== delimiter) throw this.error(`read ${what} - expect char '${delimiter}' but got char '${found}'`);
    this.#opened = '';
  }

  /** Looks at the next character. At a second look, go-codec takes a zero byte for no character and reads on. */
  #peek(): string {
    if (this.#opened !== '' && this.#opened !== '\0') return this.#opened;
    while (/[ \t\r\n]/.test(this.#text[this.#position] ?? '')) this.#position++;
    const character = this.#text[this.#position++];
    if (character === undefined) throw new EndOfInput();
    this.#opened = character;
    return character;
  }
}

/** No 64-bit integer has more digits; a larger exponent only makes the overflow certain. */
const MAX_DIGITS = 40;
