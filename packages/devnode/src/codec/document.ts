import { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import type { Kind } from './kind.ts';

const NO_PREFIX = new Uint8Array(0);

/** Canonical msgpack of a value. */
export function encode<T>(kind: Kind<T>, value: T): Uint8Array {
  return encodeWithPrefix(NO_PREFIX, kind, value);
}

/** Canonical msgpack behind a prefix that says what is hashed or signed, e.g. `TX`. */
export function encodeWithPrefix<T>(prefix: Uint8Array, kind: Kind<T>, value: T): Uint8Array {
  const writer = new MsgpackWriter().raw(prefix);
  kind.write(writer, value);
  // Small Buffers share memory, which spares the garbage collector; nothing that lives long is kept in them.
  return Buffer.from(writer.written);
}

/** A structure that algod's codec writes: canonical msgpack, or JSON with sorted keys, two spaces and no final newline. */
export interface Document {
  toMsgpack(): Uint8Array;
  /** The JSON text. */
  toJson(): string;
}

/** A value with its schema, ready to be written either way. */
export function document<T>(kind: Kind<T>, value: T): Document {
  return { toMsgpack: () => encode(kind, value), toJson: () => kind.json(value, '') };
}
