import { formatAddress, parseAddress, ZERO_ADDRESS } from './address.ts';
import { AlgorandError } from './errors.ts';
import type { MsgpackValue } from './msgpack.ts';

/** A value that is msgpack already. */
export class EncodedMsgpack {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

export type WireValue = bigint | string | boolean | Uint8Array | EncodedMsgpack;

/** The conversion of one kind of value between a typed property and msgpack. */
export interface FieldKind<T> {
  /**
   * The value to write, or `undefined` for a zero value, which Algorand's canonical form omits.
   * @throws if not valid
   */
  toWire(value: unknown): WireValue | undefined;
  /** The property's value, or `undefined` if the msgpack value has another kind or length. */
  fromWire(value: MsgpackValue): T | undefined;
}

/** A member of a wire record: its key in msgpack, and its kind. */
export interface OptionalField<T> {
  readonly key: string;
  readonly kind: FieldKind<T>;
}
export interface RequiredField<T> extends OptionalField<T> {
  /** The value that an absent key has. */
  readonly absent: () => T;
}

export function optional<T>(key: string, kind: FieldKind<T>): OptionalField<T> {
  return { key, kind };
}

export function required<T>(key: string, kind: FieldKind<T>, absent: () => T): RequiredField<T> {
  return { key, kind, absent };
}

const MAX_UINT64 = 2n ** 64n - 1n;

/** An unsigned 64-bit integer, as a bigint. */
export const uint64: FieldKind<bigint> = {
  toWire(value) {
    if (typeof value !== 'bigint') throw invalid('it must be a bigint');
    if (value < 0n || value > MAX_UINT64) throw invalid('it must be from 0 to 2^64 - 1');
    return value === 0n ? undefined : value;
  },
  fromWire: (value) => (typeof value === 'bigint' && value >= 0n ? value : undefined),
};

/** An integer from 0 to `max`, small enough to be a number. */
export function smallInteger(max: number): FieldKind<number> {
  return {
    toWire(value) {
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max) {
        throw invalid(`it must be an integer from 0 to ${max}`);
      }
      return value === 0 ? undefined : BigInt(value);
    },
    fromWire: (value) => (typeof value === 'bigint' && value >= 0n && value <= BigInt(max) ? Number(value) : undefined),
  };
}

/** 32 bytes, as an address; the zero address means that there is none. */
export const address: FieldKind<string> = {
  toWire(value) {
    if (typeof value !== 'string') throw invalid('it must be an address');
    return value === ZERO_ADDRESS ? undefined : parseAddress(value);
  },
  fromWire: (value) => (value instanceof Uint8Array && value.length === 32 ? formatAddress(value) : undefined),
};

/** Exactly `length` bytes; all zeros means that there are none. */
export function fixedBytes(length: number): FieldKind<Uint8Array> {
  return {
    toWire(value) {
      if (!(value instanceof Uint8Array) || value.length !== length) throw invalid(`it must be ${length} bytes`);
      return value.every((byte) => byte === 0) ? undefined : value;
    },
    fromWire: (value) => (value instanceof Uint8Array && value.length === length ? value : undefined),
  };
}

/** Any number of bytes; an empty value is omitted. */
export const bytes: FieldKind<Uint8Array> = {
  toWire(value) {
    if (!(value instanceof Uint8Array)) throw invalid('it must be bytes');
    return value.length === 0 ? undefined : value;
  },
  fromWire: (value) => (value instanceof Uint8Array ? value : undefined),
};

export const text: FieldKind<string> = {
  toWire(value) {
    if (typeof value !== 'string') throw invalid('it must be text');
    return value === '' ? undefined : value;
  },
  fromWire: (value) => (typeof value === 'string' ? value : undefined),
};

export const flag: FieldKind<boolean> = {
  toWire(value) {
    if (typeof value !== 'boolean') throw invalid('it must be true or false');
    return value ? true : undefined;
  },
  fromWire: (value) => (typeof value === 'boolean' ? value : undefined),
};

function invalid(reason: string): AlgorandError {
  return new AlgorandError('invalid_transaction', reason);
}
