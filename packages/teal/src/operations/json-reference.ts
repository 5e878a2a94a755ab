import { OpcodeFailure } from '../machine/program-error.ts';

const INVALID = 'error while parsing JSON text, invalid json text';
const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\]|\\(?:["\\/bfnrt']|u[0-9a-fA-F]{4}))*"/sy;
const LITERAL = /true|false|null/y;
const NUMBER = /[-+.0-9eE]+/y;

/**
 * The members of the JSON object at the head of a text, as they stand there: what follows it is not looked at. Keys and
 * values are byte texts (a character a byte). It is as lenient as algod's codec (go-codec): the values are read again,
 * strictly, when they are used.
 * @throws OpcodeFailure
 */
export function readMembers(text: string): ReadonlyMap<string, string> {
  const reader = new LooseReader(text);
  reader.skipSpace();
  const first = reader.peek();
  if (first === undefined) throw new OpcodeFailure(INVALID);
  if (first !== '{') throw new OpcodeFailure(`${INVALID}, only json object is allowed`);
  return reader.members();
}

class LooseReader {
  readonly #text: string;
  #place = 0;

  constructor(text: string) {
    this.#text = text;
  }

  peek(): string | undefined {
    return this.#text[this.#place];
  }

  skipSpace(): void {
    this.#match(SPACE);
  }

  members(): ReadonlyMap<string, string> {
    const members = new Map<string, string>();
    this.#list('{', '}', () => {
      const key = unescapeBytes(this.#required(STRING).slice(1, -1));
      this.#colon();
      if (members.has(key)) throw new OpcodeFailure(`${INVALID}, duplicate keys not allowed`);
      const start = this.#place;
      this.#value();
      members.set(key, this.#text.slice(start, this.#place));
    });
    return members;
  }

  #value(): void {
    const first = this.peek();
    if (first === '{') {
      this.#list('{', '}', () => {
        this.#required(STRING);
        this.#colon();
        this.#value();
      });
    } else if (first === '[') this.#list('[', ']', () => this.#value());
    else if (first === '"') this.#required(STRING);
    else if (this.#match(LITERAL) === undefined) this.#required(NUMBER);
  }

  #list(open: string, close: string, item: () => void): void {
    this.#expect(open);
    this.skipSpace();
    if (this.peek() !== close) {
      for (;;) {
        item();
        this.skipSpace();
        if (this.peek() !== ',') break;
        this.#expect(',');
        this.skipSpace();
      }
    }
    this.#expect(close);
  }

  #colon(): void {
    this.skipSpace();
    this.#expect(':');
    this.skipSpace();
  }

  #expect(character: string): void {
    if (this.peek() !== character) throw new OpcodeFailure(INVALID);
    this.#place++;
  }

  #required(pattern: RegExp): string {
    const found = this.#match(pattern);
    if (found === undefined) throw new OpcodeFailure(INVALID);
    return found;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#place;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#place += found.length;
    return found;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const ESCAPE = /\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))/gs;
const textEncoder = new TextEncoder();

/** A JSON string's content with its escapes resolved, as a byte text; a lone surrogate becomes U+FFFD. */
export function unescapeBytes(content: string): string {
  return content.replaceAll(ESCAPE, (_all, high?: string, low?: string, single?: string, plain?: string) => {
    if (plain !== undefined) return ESCAPES[plain] ?? plain;
    const units = [high, low, single].filter((unit) => unit !== undefined).map((unit) => Number.parseInt(unit, 16));
    return String.fromCharCode(...textEncoder.encode(String.fromCharCode(...units)));
  });
}
