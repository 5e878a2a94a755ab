import { parse } from 'lossless-json';
import { decodeBase64 } from './base64.ts';
import { AlgorandError } from './errors.ts';
import { decodeMsgpack, type MsgpackKey, type MsgpackValue } from './msgpack.ts';

const MAX_UINT64 = 2n ** 64n - 1n;
const UINT64_DIGITS = 20;

/** A number that `JSON.parse` may not preserve: negative, long or not whole. */
const UNSAFE_NUMBER = /[:,[]\s*(?:-|\d{16}|\d+[.eE])/;

/** One map of an answer, whose members are read by name. A missing or wrong member throws `algod_bad_answer`. */
export class AnswerReader {
  readonly #route: string;
  readonly #members: ReadonlyMap<unknown, unknown> | object;

  private constructor(route: string, members: ReadonlyMap<unknown, unknown> | object) {
    this.#route = route;
    this.#members = members;
  }

  /** Reads JSON, whose integers may exceed JavaScript's safe range. */
  static fromJson(route: string, bytes: Uint8Array): AnswerReader {
    return AnswerReader.#from(
      route,
      decodeWith(route, () => parseJson(new TextDecoder().decode(bytes))),
    );
  }

  static fromMsgpack(route: string, bytes: Uint8Array): AnswerReader {
    return new AnswerReader(route, decodeMsgpackAnswer(route, bytes));
  }

  static #from(route: string, value: unknown): AnswerReader {
    if (typeof value === 'object' && value !== null) return new AnswerReader(route, value);
    throw bad(route, 'is not an object');
  }

  integer(name: string): bigint {
    const value = this.optionalInteger(name);
    return value === undefined ? this.#fail(name) : value;
  }

  optionalInteger(name: string): bigint | undefined {
    const value = this.#member(name);
    if (value === undefined) return undefined;
    const integer = integerOf(value);
    return integer !== undefined && integer >= 0n && integer <= MAX_UINT64 ? integer : this.#fail(name);
  }

  text(name: string): string {
    const value = this.optionalText(name);
    return value === undefined ? this.#fail(name) : value;
  }

  optionalText(name: string): string | undefined {
    const value = this.#member(name);
    return value === undefined || typeof value === 'string' ? value : this.#fail(name);
  }

  flag(name: string): boolean {
    const value = this.#member(name);
    return typeof value === 'boolean' ? value : this.#fail(name);
  }

  /** Bytes that JSON holds as base64. */
  base64(name: string): Uint8Array {
    return decodeBase64(this.text(name)) ?? this.#fail(name);
  }

  optionalBase64(name: string): Uint8Array | undefined {
    return this.#member(name) === undefined ? undefined : this.base64(name);
  }

  optionalMap(name: string): AnswerReader | undefined {
    const value = this.#member(name);
    return value === undefined ? undefined : AnswerReader.#from(`${this.#route} ${name}`, value);
  }

  map(name: string): AnswerReader {
    return this.optionalMap(name) ?? this.#fail(name);
  }

  #list(name: string): readonly unknown[] {
    const value = this.#member(name);
    return Array.isArray(value) ? value : this.#fail(name);
  }

  texts(name: string): string[] {
    return this.#list(name).map((item) => (typeof item === 'string' ? item : this.#fail(name)));
  }

  optionalIntegers(name: string): bigint[] | undefined {
    if (this.#member(name) === undefined) return undefined;
    return this.#list(name).map((item) => integerOf(item) ?? this.#fail(name));
  }

  maps(name: string): AnswerReader[] {
    return this.#list(name).map((item) => AnswerReader.#from(`${this.#route} ${name}`, item));
  }

  /** The first item of a list of maps. */
  firstMap(name: string): AnswerReader {
    return AnswerReader.#from(`${this.#route} ${name}`, this.#list(name)[0]);
  }

  #member(name: string): unknown {
    if (this.#members instanceof Map) return this.#members.get(name);
    return Object.hasOwn(this.#members, name) ? Reflect.get(this.#members, name) : undefined;
  }

  #fail(name: string): never {
    throw bad(this.#route, `has no usable ${name}`);
  }
}

/** Inner transactions nest nine deep, three levels each: the parameters of an asset in the last one are level 33. */
const MAX_DEPTH = 64;

/** A msgpack answer, unchanged. Texts may hold arbitrary bytes: logs and state of applications. */
export function decodeMsgpackAnswer(route: string, bytes: Uint8Array): ReadonlyMap<MsgpackKey, MsgpackValue> {
  const value = decodeWith(route, () => decodeMsgpack(bytes, { invalidUtf8: 'bytes', maxDepth: MAX_DEPTH }));
  if (value instanceof Map) return value;
  throw bad(route, 'is not a map');
}

/** Decodes an answer. A failure is algod's fault, not the caller's. */
function decodeWith<T>(route: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw bad(route, "can't be decoded", cause);
  }
}

/** The slow parser reads numbers that the fast one might spoil. A false match inside a text only costs time. */
function parseJson(text: string): unknown {
  return UNSAFE_NUMBER.test(text) ? parse(text, null, parseNumber) : JSON.parse(text);
}

/** An integer of at most 20 digits; NaN for all other numbers, which no answer needs. */
function parseNumber(text: string): bigint | number {
  return text.length <= UINT64_DIGITS && /^\d+$/.test(text) ? BigInt(text) : Number.NaN;
}

function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined;
}

function bad(route: string, problem: string, cause?: unknown): AlgorandError {
  return new AlgorandError('algod_bad_answer', `algod's answer to ${route} ${problem}`, { cause });
}
