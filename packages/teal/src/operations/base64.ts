import { OpcodeFailure } from '../machine/program-error.ts';

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

/**
 * Decodes base64 as Go's strict decoder does (RFC 4648; line ends anywhere, bits that fill no byte must be 0): padding may
 * be left out, but a text whose last character before the line ends is `=` must have all of it.
 * @throws OpcodeFailure with the place that is wrong
 */
export function decodeBase64(text: Uint8Array, alphabet: 'url' | 'standard'): Uint8Array {
  const last = text.findLast((character) => !isLineEnd(character));
  const decoder = new Base64Decoder(text, alphabet === 'url' ? URL_VALUES : STANDARD_VALUES, last === PAD);
  const bytes: number[] = [];
  while (decoder.hasMore) bytes.push(...decoder.quantum());
  return Uint8Array.from(bytes);
}

class Base64Decoder {
  readonly #text: Uint8Array;
  readonly #values: Uint8Array;
  readonly #isPadded: boolean;
  #place = 0;

  constructor(text: Uint8Array, values: Uint8Array, isPadded: boolean) {
    this.#text = text;
    this.#values = values;
    this.#isPadded = isPadded;
  }

  get hasMore(): boolean {
    return this.#place < this.#text.length;
  }

  /** Four characters, or the last two or three: up to three bytes. */
  quantum(): number[] {
    const digits: number[] = [];
    while (digits.length < 4 && this.hasMore) {
      const character = this.#next();
      const value = this.#valueOf(character);
      if (value !== NONE) digits.push(value);
      else if (character === PAD && this.#isPadded) return this.#padded(digits);
      else if (!isLineEnd(character)) throw corrupt(this.#place - 1);
    }
    if (digits.length === 0) return [];
    if (digits.length === 1 || (digits.length < 4 && this.#isPadded)) throw corrupt(this.#place - digits.length);
    return this.#bytes(digits);
  }

  #next(): number {
    return this.#text[this.#place++] ?? 0;
  }

  #valueOf(character: number): number {
    return this.#values[character] ?? NONE;
  }

  /** After the first `=`: after two digits another must follow, and nothing behind. */
  #padded(digits: readonly number[]): number[] {
    if (digits.length < 2) throw corrupt(this.#place - 1);
    if (digits.length === 2) {
      this.#skipLineEnds();
      if (!this.hasMore) throw corrupt(this.#place);
      if (this.#text[this.#place] !== PAD) throw corrupt(this.#place - 1);
      this.#place++;
    }
    this.#skipLineEnds();
    const end = this.#place;
    const bytes = this.#bytes(digits);
    if (this.hasMore) throw corrupt(end);
    return bytes;
  }

  #bytes(digits: readonly number[]): number[] {
    const [a = 0, b = 0, c = 0, d = 0] = digits;
    const bits = (a << 18) | (b << 12) | (c << 6) | d;
    const bytes = [(bits >> 16) & 0xff, (bits >> 8) & 0xff, bits & 0xff];
    const count = digits.length - 1;
    if (bytes.slice(count).some((byte) => byte !== 0)) throw corrupt(this.#place - (4 - digits.length));
    return bytes.slice(0, count);
  }

  #skipLineEnds(): void {
    while (isLineEnd(this.#text[this.#place])) this.#place++;
  }
}

function corrupt(place: number): OpcodeFailure {
  return new OpcodeFailure(`illegal base64 data at input byte ${place}`);
}

function isLineEnd(character: number | undefined): boolean {
  return character === LINE_FEED || character === CARRIAGE_RETURN;
}
