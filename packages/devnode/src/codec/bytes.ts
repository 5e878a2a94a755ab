import { formatAddress } from '@avm402/algorand/address';
import { encodeBase32 } from '@avm402/algorand/base32';
import { encodeBase64 } from '@avm402/algorand/base64';
import type { Kind } from './kind.ts';
import type { Source } from './source.ts';

export { sameBytes } from '@avm402/algorand/bytes';

const NO_BYTES = new Uint8Array(0);

/** Bytes of any length. */
export const bytes: Kind<Uint8Array> = {
  zero: NO_BYTES,
  isZero: (value) => value.length === 0,
  isUnset: (value) => value === NO_BYTES,
  read: (source) => readBytes(source) ?? NO_BYTES,
  write: (writer, value) => void writer.bytes(value),
  json: quoteBase64,
};

/** Bytes of any length in a list, where algod writes those that were never set as nil. */
export const listedBytes: Kind<Uint8Array> = {
  ...bytes,
  write: (writer, value) => void (value === NO_BYTES ? writer.nil() : writer.bytes(value)),
};

/** Exactly `size` bytes. Longer input is cut, shorter input overlays the old value; only lists of numbers must fit. */
export function fixedBytes(size: number): Kind<Uint8Array> {
  const zero = new Uint8Array(size);
  return {
    zero,
    isZero: (value) => value === zero || isAllZero(value),
    isUnset: (value) => value === zero || isAllZero(value),
    read: (source, before) => overlay(readBytes(source, size), before, zero),
    write: (writer, value) => void writer.bytes(value),
    json: quoteBase64,
  };
}

export const bytes32 = fixedBytes(32);
export const bytes64 = fixedBytes(64);

/** 32 bytes, in JSON the 58 characters with checksum. */
export const address: Kind<Uint8Array> = {
  ...bytes32,
  read: (source, before) =>
    (source.shape() === 'bytes' ? source.addressText() : undefined) ?? bytes32.read(source, before),
  json: (value) => `"${formatAddress(value)}"`,
};

/** 32 bytes, in JSON `blk-` and base32. */
export const blockHash: Kind<Uint8Array> = { ...bytes32, json: (value) => `"blk-${encodeBase32(value)}"` };

export const ZERO_32 = bytes32.zero;

/** Whether every byte is zero. */
export function isAllZero(value: Uint8Array): boolean {
  for (const byte of value) if (byte !== 0) return false;
  return true;
}

function quoteBase64(value: Uint8Array): string {
  return `"${encodeBase64(value)}"`;
}

function overlay(given: Uint8Array | undefined, before: Uint8Array, zero: Uint8Array): Uint8Array {
  if (given === undefined) return zero;
  if (given.length === zero.length) return given;
  const whole = before.slice();
  whole.set(given.subarray(0, zero.length));
  return whole;
}

/** Bytes, a text, or a list of numbers; a map counts as the list of its keys and values. nil is undefined. */
export function readBytes(source: Source, maxListLength?: number): Uint8Array | undefined {
  const shape = source.shape();
  if (shape === 'bytes') return source.bytes();
  if (shape !== 'nil') return readNumbers(source, openItems(source), maxListLength);
  source.nil();
  return undefined;
}

/** Opens a list, or a map, which counts as the list of its keys and values; gives the number of its items if known. */
export function openItems(source: Source): number | undefined {
  const shape = source.shape();
  if (shape === 'list') return source.openList();
  if (shape !== 'map') throw source.error('only encoded map or array can be decoded into a slice (0)');
  const entries = source.openMap();
  return entries === undefined ? undefined : entries * 2;
}

function readNumbers(source: Source, length: number | undefined, maxListLength: number | undefined): Uint8Array {
  const numbers: number[] = [];
  while (source.hasNext(numbers.length, length)) {
    const nil = source.shape() === 'nil';
    if (numbers.length === maxListLength) {
      throw source.error(
        `cannot expand array len during decode from ${maxListLength} to ${length ?? maxListLength + 1}`,
      );
    }
    if (nil) source.nil();
    numbers.push(nil ? 0 : Number(source.unsigned(8)));
  }
  return Uint8Array.from(numbers);
}
