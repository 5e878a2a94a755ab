import type { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import type { Kind } from './kind.ts';
import type { Source } from './source.ts';

export const MAX_UINT64 = 2n ** 64n - 1n;
export const MAX_INT64 = 2n ** 63n - 1n;

/** A sum as a 64-bit unsigned integer: the largest one if it is larger. */
export function saturated(sum: bigint): bigint {
  return sum > MAX_UINT64 ? MAX_UINT64 : sum;
}

/** A 64-bit unsigned integer. */
export const uint64: Kind<bigint> = {
  zero: 0n,
  isZero: (value) => value === 0n,
  isUnset: (value) => value === 0n,
  read: (source) => readUnsigned(source, 64),
  write: (writer, value) => void writer.integer(value),
  json: String,
};

/** A 64-bit signed integer, such as simulate's extra budget. */
export const int64: Kind<bigint> = {
  ...uint64,
  read(source) {
    if (source.shape() !== 'nil') return source.signed();
    source.nil();
    return 0n;
  },
};

/** An unsigned integer of at most 32 bits. */
function smallUnsigned(bits: 8 | 32): Kind<number> {
  return {
    zero: 0,
    isZero: (value) => value === 0,
    isUnset: (value) => value === 0,
    read: (source) => Number(readUnsigned(source, bits)),
    write: (writer, value) => void writer.integer(value),
    json: String,
  };
}

export const uint8 = smallUnsigned(8);
export const uint32 = smallUnsigned(32);

export const boolean: Kind<boolean> = {
  zero: false,
  isZero: (value) => !value,
  isUnset: (value) => !value,
  read(source) {
    if (source.shape() !== 'nil') return source.boolean();
    source.nil();
    return false;
  },
  write: (writer: MsgpackWriter, value) => void writer.boolean(value),
  json: String,
};

function readUnsigned(source: Source, bits: number): bigint {
  if (source.shape() !== 'nil') return source.unsigned(bits);
  source.nil();
  return 0n;
}
