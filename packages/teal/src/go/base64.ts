import type { Decoded } from './base32.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const PAD = 0x3d;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NONE = 0xff;

const URL_VALUES = valuesOf(`${LETTERS}-_`);
const STANDARD_VALUES = valuesOf(`${LETTERS}+/`);

function valuesOf(alphabet: string): Uint8Array {
  const values = new Uint8Array(256).fill(NONE);
  for (let value = 0; value < alphabet.length; value++) values[alphabet.charCodeAt(value)] = value;
  return values;
}

/** A variant of base64. */
export interface Base64Encoding {
  readonly alphabet: 'url' | 'standard';
  readonly isPadded: boolean;
  /** Whether bits beyond the last whole byte must be 0. */
  readonly isStrict: boolean;
}

/** Go's StdEncoding. */
export const PADDED_BASE64: Base64Encoding = { alphabet: 'standard', isPadded: true, isStrict: false };

/** Decodes base64 as Go does (RFC 4648; line ends anywhere); an error gives the position of the wrong byte. */
export function decodeBase64(text: Uint8Array, encoding: Base64Encoding): Decoded {
  const decoder = new Base64Decoder(text, encoding);
  const bytes: number[] = [];
  try {
    while (decoder.hasMore) bytes.push(...decoder.quantum());
  } catch (error) {
    if (error instanceof Corrupt) return { corruptAt: error.place };
    throw error;
  }
  return bytes;
}

/** Whether the last character before line ends is padding. */
export function endsInPadding(text: Uint8Array): boolean {
  return text.findLast((character) => !isLineEnd(character)) === PAD;
}

class Corrupt extends Error {
  readonly place: number;

  constructor(place: number) {
    super();
    this.place = place;
  }
}

class Base64Decoder {
  readonly #text: Uint8Array;
  readonly #values: Uint8Array;
  readonly #encoding: Base64Encoding;
  #place = 0;

  constructor(text: Uint8Array, encoding: Base64Encoding) {
    this.#text = text;
    this.#values = encoding.alphabet === 'url' ? URL_VALUES : STANDARD_VALUES;
    this.#encoding = encoding;
  }

  get hasMore(): boolean {
    return this.#place < this.#text.length;
  }

  /** Reads four characters, or the last two or three: up to three bytes. */
  quantum(): number[] {
    const digits: number[] = [];
    while (digits.length < 4 && this.hasMore) {
      const character = this.#next();
      const value = this.#valueOf(character);
      if (value !== NONE) digits.push(value);
      else if (character === PAD && this.#encoding.isPadded) return this.#padded(digits);
      else if (!isLineEnd(character)) throw new Corrupt(this.#place - 1);
    }
    if (digits.length === 0) return [];
    if (digits.length === 1 || (digits.length < 4 && this.#encoding.isPadded))
      throw new Corrupt(this.#place - digits.length);
    return this.#bytes(digits);
  }

  #next(): number {
    return this.#text[this.#place++] ?? 0;
  }

  #valueOf(character: number): number {
    return this.#values[character] ?? NONE;
  }

  /** Handles the first `=`: after two digits another `=` must follow, and nothing after that. */
  #padded(digits: readonly number[]): number[] {
    if (digits.length < 2) throw new Corrupt(this.#place - 1);
    if (digits.length === 2) {
      this.#skipLineEnds();
      if (!this.hasMore) throw new Corrupt(this.#place);
      if (this.#text[this.#place] !== PAD) throw new Corrupt(this.#place - 1);
      this.#place++;
    }
    this.#skipLineEnds();
    const end = this.#place;
    const bytes = this.#bytes(digits);
    if (this.hasMore) throw new Corrupt(end);
    return bytes;
  }

  #bytes(digits: readonly number[]): number[] {
    const [a = 0, b = 0, c = 0, d = 0] = digits;
    const bits = (a << 18) | (b << 12) | (c << 6) | d;
    const bytes = [(bits >> 16) & 0xff, (bits >> 8) & 0xff, bits & 0xff];
    const count = digits.length - 1;
    if (this.#encoding.isStrict && bytes.slice(count).some((byte) => byte !== 0))
      throw new Corrupt(this.#place - (4 - digits.length));
    return bytes.slice(0, count);
  }

  #skipLineEnds(): void {
    while (isLineEnd(this.#text[this.#place])) this.#place++;
  }
}

function isLineEnd(character: number | undefined): boolean {
  return character === LINE_FEED || character === CARRIAGE_RETURN;
}
