import { parse } from 'lossless-json';
import { decodeBase64 } from './base64.ts';
import { AlgorandError } from './errors.ts';
import { decodeMsgpack, type MsgpackKey, type MsgpackValue } from './msgpack.ts';

const MAX_UINT64 = 2n ** 64n - 1n;
const UINT64_DIGITS = 20;

/** One map of an answer, whose members are read by name; a missing or wrong one is `algod_bad_answer`. */
export class AnswerReader {
  readonly #route: string;
  readonly #members: ReadonlyMap<unknown, unknown>;

  private constructor(route: string, members: ReadonlyMap<unknown, unknown>) {
    this.#route = route;
    this.#members = members;
  }

  /** From JSON, whose integers may be larger than a number can hold. */
  static fromJson(route: string, bytes: Uint8Array): AnswerReader {
    return AnswerReader.#from(
      route,
      decodeWith(route, () => parse(new TextDecoder().decode(bytes), null, parseNumber)),
    );
  }

  static fromMsgpack(route: string, bytes: Uint8Array): AnswerReader {
    return new AnswerReader(route, decodeMsgpackAnswer(route, bytes));
  }

  static #from(route: string, value: unknown): AnswerReader {
    if (value instanceof Map) return new AnswerReader(route, value);
    if (typeof value === 'object' && value !== null) return new AnswerReader(route, new Map(Object.entries(value)));
    throw bad(route, 'is no object');
  }

  integer(name: string): bigint {
    const value = this.optionalInteger(name);
    return value === undefined ? this.#fail(name) : value;
  }

  optionalInteger(name: string): bigint | undefined {
    const value = this.#members.get(name);
    if (value === undefined) return undefined;
    return typeof value === 'bigint' && value >= 0n && value <= MAX_UINT64 ? value : this.#fail(name);
  }

  text(name: string): string {
    const value = this.optionalText(name);
    return value === undefined ? this.#fail(name) : value;
  }

  optionalText(name: string): string | undefined {
    const value = this.#members.get(name);
    return value === undefined || typeof value === 'string' ? value : this.#fail(name);
  }

  flag(name: string): boolean {
    const value = this.#members.get(name);
    return typeof value === 'boolean' ? value : this.#fail(name);
  }

  /** Bytes that JSON holds as base64. */
  base64(name: string): Uint8Array {
    return decodeBase64(this.text(name)) ?? this.#fail(name);
  }

  optionalMap(name: string): AnswerReader | undefined {
    const value = this.#members.get(name);
    return value === undefined ? undefined : AnswerReader.#from(`${this.#route} ${name}`, value);
  }

  map(name: string): AnswerReader {
    return this.optionalMap(name) ?? this.#fail(name);
  }

  #list(name: string): readonly unknown[] {
    const value = this.#members.get(name);
    return Array.isArray(value) ? value : this.#fail(name);
  }

  texts(name: string): string[] {
    return this.#list(name).map((item) => (typeof item === 'string' ? item : this.#fail(name)));
  }

  optionalIntegers(name: string): bigint[] | undefined {
    if (!this.#members.has(name)) return undefined;
    return this.#list(name).map((item) => (typeof item === 'bigint' ? item : this.#fail(name)));
  }

  /** The first item of a list of maps. */
  firstMap(name: string): AnswerReader {
    return AnswerReader.#from(`${this.#route} ${name}`, this.#list(name)[0]);
  }

  #fail(name: string): never {
    throw bad(this.#route, `has no usable ${name}`);
  }
}

/** A msgpack answer as it is. Texts may hold arbitrary bytes: logs and state of applications. */
export function decodeMsgpackAnswer(route: string, bytes: Uint8Array): ReadonlyMap<MsgpackKey, MsgpackValue> {
  const value = decodeWith(route, () => decodeMsgpack(bytes, { invalidUtf8: 'bytes' }));
  if (value instanceof Map) return value;
  throw bad(route, 'is no map');
}

/** Decodes an answer; what can't be decoded is algod's fault, not the caller's. */
function decodeWith<T>(route: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw bad(route, 'can not be decoded', cause);
  }
}

function parseNumber(text: string): bigint | number {
  return text.length <= UINT64_DIGITS && /^\d+$/.test(text) ? BigInt(text) : Number(text);
}

function bad(route: string, problem: string, cause?: unknown): AlgorandError {
  return new AlgorandError('algod_bad_answer', `algod's answer to ${route} ${problem}`, { cause });
}
