import { AlgorandError } from './errors.ts';
import { type DecodeMsgpackOptions, type MsgpackKey, MsgpackReader, type MsgpackValue } from './msgpack-reader.ts';
import { MsgpackWriter } from './msgpack-writer.ts';

export type { DecodeMsgpackOptions, MsgpackKey, MsgpackValue };

/** Values that `encodeMsgpack` accepts: also plain objects, and numbers that are safe integers. */
export type MsgpackInput =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly MsgpackInput[]
  | ReadonlyMap<MsgpackKey, MsgpackInput>
  | { readonly [key: string]: MsgpackInput };

/**
 * Decodes one msgpack value. Refuses trailing bytes, repeated keys, floats and extensions. It does not require the
 * canonical form: where that matters, compare with `encodeMsgpack` of the result.
 * @throws AlgorandError `invalid_msgpack`
 */
export function decodeMsgpack(bytes: Uint8Array, options?: DecodeMsgpackOptions): MsgpackValue {
  const reader = new MsgpackReader(bytes, options);
  const value = reader.value();
  if (!reader.atEnd) throw new AlgorandError('invalid_msgpack', 'msgpack: bytes follow the value');
  return value;
}

/**
 * Canonical msgpack as Algorand hashes it: sorted keys, shortest integers, `bin` for bytes. It omits nothing by itself:
 * omitting zero values is a rule of the encoded structure.
 * @throws AlgorandError `invalid_msgpack` for what msgpack can't say (undefined, fractions, integers beyond 64 bits)
 */
export function encodeMsgpack(value: MsgpackInput): Uint8Array {
  const writer = new MsgpackWriter();
  writeValue(writer, value);
  return writer.toBytes();
}

function writeValue(writer: MsgpackWriter, value: MsgpackInput): void {
  if (value === null) writer.nil();
  else if (typeof value === 'boolean') writer.boolean(value);
  else if (typeof value === 'bigint' || typeof value === 'number') writer.integer(value);
  else if (typeof value === 'string') writer.text(value);
  else if (typeof value === 'object') writeObject(writer, value);
  else throw new AlgorandError('invalid_msgpack', `msgpack has no ${typeof value}`);
}

function writeObject(writer: MsgpackWriter, value: MsgpackInput & object): void {
  if (value instanceof Uint8Array) {
    writer.bytes(value);
  } else if (isList(value)) {
    writer.arrayHeader(value.length);
    for (const item of value) writeValue(writer, item);
  } else {
    writeMap(writer, isMap(value) ? value : new Map(Object.entries(value)));
  }
}

function writeMap(writer: MsgpackWriter, map: ReadonlyMap<MsgpackKey, MsgpackInput>): void {
  writer.mapHeader(map.size);
  for (const [key, value] of [...map].sort(([a], [b]) => compareKeys(a, b))) {
    writeValue(writer, key);
    writeValue(writer, value);
  }
}

const UTF8 = new TextEncoder();

/** Integers by value, text and bytes bytewise (for text this differs from JavaScript's UTF-16 order). */
function compareKeys(a: MsgpackKey, b: MsgpackKey): number {
  if (typeof a === 'bigint' || typeof b === 'bigint') {
    if (typeof a !== typeof b) throw new AlgorandError('invalid_msgpack', 'a map mixes integer keys with others');
    return a < b ? -1 : 1;
  }
  return compareBytes(keyBytes(a), keyBytes(b));
}

function keyBytes(key: string | Uint8Array): Uint8Array {
  return typeof key === 'string' ? UTF8.encode(key) : key;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

// Array.isArray and instanceof Map do not narrow readonly types.
function isList(value: object): value is readonly MsgpackInput[] {
  return Array.isArray(value);
}

function isMap(value: object): value is ReadonlyMap<MsgpackKey, MsgpackInput> {
  return value instanceof Map;
}
