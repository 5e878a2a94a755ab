import { formatAddress, parseAddress } from '@avm402/algorand/address';
import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { sameBytes } from '@avm402/algorand/bytes';
import { programAddress } from '@avm402/algorand/program';
import type { X402Error } from '@avm402/core/errors';
import { FieldReader, MAX_UINT64 } from '../wire/field-reader.ts';

/** Version 10 is the oldest with everything that the templates use, so every network runs them. */
const VERSION = 10;
const BYTECBLOCK = 0x26;

/** What a constant holds: an address, a whole number, or this many bytes. */
type Kind = 'address' | 'uint64' | number;

type Kinds<Config> = {
  readonly [Field in keyof Config]: Config[Field] extends string
    ? 'address'
    : Config[Field] extends bigint
      ? 'uint64'
      : number;
};

/** A configuration on the wire, as text only. */
export type Wire<Config> = { readonly [Field in keyof Config]: string };

/**
 * A program whose constants are a configuration: one `bytecblock` at its start, to which its code refers by index. The
 * bytes equal those that the TEAL template of the same name assembles to (packages/avm/test).
 */
export class ProgramTemplate<Config extends object> {
  readonly #kinds: readonly (readonly [keyof Config & string, Kind])[];
  readonly #code: Uint8Array;
  readonly #invalid: (what: string) => X402Error;
  readonly #read: FieldReader;

  /**
   * @param kinds - the fields of the configuration, in the order of the constants
   * @param code - what follows the constants
   * @param invalid - the error for a configuration from outside that is not one
   */
  constructor(kinds: Kinds<Config>, code: Uint8Array, invalid: (what: string) => X402Error) {
    this.#kinds = Object.entries(kinds) as [keyof Config & string, Kind][];
    this.#code = code;
    this.#invalid = invalid;
    this.#read = new FieldReader(invalid);
  }

  /** @throws RangeError for a number beyond 64 bits */
  program(config: Config): Uint8Array {
    const constants = this.#kinds.map(([name, kind]) => constantOf(config[name], kind));
    // Counts and lengths are varints of one byte, because none reaches 128.
    const block = constants.flatMap((constant) => [constant.length, ...constant]);
    return Uint8Array.from([VERSION, BYTECBLOCK, constants.length, ...block, ...this.#code]);
  }

  /** The configuration from which a program was made; undefined if it was made from another template. */
  configOf(program: Uint8Array): Config | undefined {
    const size = this.#kinds.reduce((sum, [, kind]) => sum + 1 + lengthOf(kind), 3 + this.#code.length);
    if (program.length !== size) return undefined;
    let end = 3;
    const constants: [name: string, value: unknown][] = [];
    for (const [name, kind] of this.#kinds) {
      // Each constant follows its length.
      const begin = end + 1;
      end = begin + lengthOf(kind);
      // A copy of its own, because the slice of a Buffer shares its memory.
      constants.push([name, valueOf(Uint8Array.from(program.subarray(begin, end)), kind)]);
    }
    const config = Object.fromEntries(constants) as Config;
    return sameBytes(this.program(config), program) ? config : undefined;
  }

  /** The address of the program's account: the hash of the program, and so of its whole configuration. */
  address(config: Config): string {
    return formatAddress(programAddress(this.program(config)));
  }

  /** Reads a configuration from outside, which has these fields and no others. */
  parse(value: unknown): Config {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw this.#invalid('it must be an object');
    const fields: Readonly<Record<string, unknown>> = { ...value };
    const config = this.read(fields);
    const unknown = Object.keys(fields).find((name) => !Object.hasOwn(config, name));
    if (unknown === undefined) return config;
    throw this.#invalid(`it has the unknown key ${JSON.stringify(unknown.slice(0, 40))}`);
  }

  /** Reads a configuration among other fields. */
  read(fields: Readonly<Record<string, unknown>>): Config {
    const members = this.#kinds.map(([name, kind]) => {
      const value = fields[name];
      if (kind === 'address') return [name, this.#read.address(name, value)];
      return [name, kind === 'uint64' ? this.#read.uint64(name, value) : this.#read.bytes(name, value, kind)];
    });
    return Object.fromEntries(members) as Config;
  }

  encode(config: Config): Wire<Config> {
    const members = this.#kinds.map(([name]) => {
      const value: unknown = config[name];
      return [name, value instanceof Uint8Array ? encodeBase64(value) : String(value)];
    });
    return Object.fromEntries(members) as Wire<Config>;
  }
}

function lengthOf(kind: Kind): number {
  if (kind === 'address') return 32;
  return kind === 'uint64' ? 8 : kind;
}

function constantOf(value: unknown, kind: Kind): Uint8Array {
  if (kind === 'address') return parseAddress(value as string);
  return kind === 'uint64' ? uint64Bytes(value as bigint) : (value as Uint8Array);
}

function valueOf(constant: Uint8Array, kind: Kind): string | bigint | Uint8Array {
  if (kind === 'address') return formatAddress(constant);
  return kind === 'uint64' ? new DataView(constant.buffer).getBigUint64(0) : constant;
}

/**
 * 8 bytes, big endian, as `btoi` reads them. A number beyond 64 bits would become a different one, for example another
 * asset's id.
 * @throws RangeError
 */
export function uint64Bytes(value: bigint): Uint8Array {
  if (value < 0n || value > MAX_UINT64) throw new RangeError(`${value} does not fit 64 bits`);
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}

/** A template's code, from base64. */
export function programCode(base64: string): Uint8Array {
  const code = decodeBase64(base64);
  if (code === undefined) throw new TypeError('a template is not base64');
  return code;
}
