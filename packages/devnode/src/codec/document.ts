import { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import type { Kind } from './kind.ts';

/** A writer keeps the memory of the longest encoding it made; one that had to make a longer one than this is given up. */
const MAX_KEPT_LENGTH = 1_000_000;

// One for all: a new writer each time would be most of the cost of a small encoding.
let writer = new MsgpackWriter();

/** Canonical msgpack of a value. */
export function encode<T>(kind: Kind<T>, value: T): Uint8Array {
  writer.clear();
  kind.write(writer, value);
  return takeWritten();
}

/** Canonical msgpack behind a prefix that says what is hashed or signed, e.g. `TX`. */
export function encodeWithPrefix<T>(prefix: Uint8Array, kind: Kind<T>, value: T): Uint8Array {
  writer.clear().raw(prefix);
  kind.write(writer, value);
  return takeWritten();
}

/** Small Buffers share memory, which spares the garbage collector; nothing that lives long is kept in them. */
function takeWritten(): Uint8Array {
  const bytes = Buffer.from(writer.written);
  if (bytes.length > MAX_KEPT_LENGTH) writer = new MsgpackWriter();
  return bytes;
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
