import { OpcodeFailure } from '../machine/program-error.ts';

/** What a JSON value is, in the words of Go's errors. */
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'bool' | 'null';

const ENDED = 'unexpected end of JSON input';
const SPACES = ' \t\r\n';
const STRING_ESCAPES = '"\\/bfnrt';

/**
 * The kind of the only value in a text, which must be right in every respect (Go's encoding/json, checkValid).
 * @throws OpcodeFailure with Go's text
 */
export function strictKindOf(text: string): JsonKind {
  const scanner = new Scanner(text);
  scanner.space();
  const kind = scanner.value();
  scanner.space();
  if (!scanner.isAtEnd) throw scanner.unexpected('after top-level value');
  return kind;
}

class Scanner {
  readonly #text: string;
  #place = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#place >= this.#text.length;
  }

  unexpected(context: string): OpcodeFailure {
    const character = this.#text[this.#place];
    return new OpcodeFailure(
      character === undefined ? ENDED : `invalid character ${quoteCharacter(character)} ${context}`,
    );
  }

  space(): void {
    while (!this.isAtEnd && SPACES.includes(this.#peek())) this.#place++;
  }

  value(): JsonKind {
    const first = this.#peek();
    if (first === '{') return this.#object();
    if (first === '[') return this.#array();
    if (first === '"') return this.#string();
    if (first === '-' || isDigit(first)) return this.#number();
    if (first === 't') return this.#literal('true', 'bool');
    if (first === 'f') return this.#literal('false', 'bool');
    if (first === 'n') return this.#literal('null', 'null');
    throw this.unexpected('looking for beginning of value');
  }

  #peek(): string {
    return this.#text.charAt(this.#place);
  }

  #object(): JsonKind {
    this.#place++;
    this.space();
    if (this.#take('}')) return 'object';
    for (;;) {
      if (this.#peek() !== '"') throw this.unexpected('looking for beginning of object key string');
      this.#string();
      this.space();
      if (!this.#take(':')) throw this.unexpected('after object key');
      this.space();
      this.value();
      this.space();
      if (this.#take('}')) return 'object';
      if (!this.#take(',')) throw this.unexpected('after object key:value pair');
      this.space();
    }
  }

  #array(): JsonKind {
    this.#place++;
    this.space();
    if (this.#take(']')) return 'array';
    for (;;) {
      this.value();
      this.space();
      if (this.#take(']')) return 'array';
      if (!this.#take(',')) throw this.unexpected('after array element');
      this.space();
    }
  }

  #string(): JsonKind {
    this.#place++;
    while (!this.#take('"')) {
      if (this.isAtEnd || this.#peek() < ' ') throw this.unexpected('in string literal');
      if (this.#take('\\')) this.#escape();
      else this.#place++;
    }
    return 'string';
  }

  #escape(): void {
    if (this.#take('u')) {
      for (let digit = 0; digit < 4; digit++, this.#place++) {
        if (!/[0-9a-fA-F]/.test(this.#peek())) throw this.unexpected(String.raw`in \u hexadecimal character escape`);
      }
      return;
    }
    if (this.isAtEnd || !STRING_ESCAPES.includes(this.#peek())) throw this.unexpected('in string escape code');
    this.#place++;
  }

  #number(): JsonKind {
    if (this.#take('-') && !isDigit(this.#peek())) throw this.unexpected('in numeric literal');
    if (!this.#take('0')) this.#digits('in numeric literal');
    if (this.#take('.')) this.#digits('after decimal point in numeric literal');
    if (this.#take('e') || this.#take('E')) {
      if (!this.#take('+')) this.#take('-');
      this.#digits('in exponent of numeric literal');
    }
    return 'number';
  }

  #digits(context: string): void {
    if (!isDigit(this.#peek())) throw this.unexpected(context);
    while (isDigit(this.#peek())) this.#place++;
  }

  #literal(word: string, kind: JsonKind): JsonKind {
    for (const letter of word) {
      if (!this.#take(letter)) throw this.unexpected(`in literal ${word} (expecting ${quoteCharacter(letter)})`);
    }
    return kind;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#place++;
    return true;
  }
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

const NAMED: Readonly<Record<string, string>> = {
  "'": String.raw`\'`,
  '\\': String.raw`\\`,
  '\u0007': String.raw`\a`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\v': String.raw`\v`,
};

/** A character in single quotes, as Go prints it. */
function quoteCharacter(character: string): string {
  const code = character.charCodeAt(0);
  const named = NAMED[character];
  if (named !== undefined) return `'${named}'`;
  if (code < 0x20 || code === 0x7f) return String.raw`'\x` + `${code.toString(16).padStart(2, '0')}'`;
  const isPrintable = code < 0x7f || (code > 0xa0 && code !== 0xad);
  return isPrintable ? `'${character}'` : String.raw`'\u` + `${code.toString(16).padStart(4, '0')}'`;
}
