import { MsgpackWriter } from '@avm402/algorand/msgpack-writer';
import type { Kind } from './kind.ts';

const NO_PREFIX = new Uint8Array(0);

/** A writer keeps the memory of its longest encoding; one that has made a longer one than this is not used again. */
const MAX_KEPT_LENGTH = 1_000_000;

/** The writer of the last encoding: a new one each time would be most of the cost of a small encoding. */
let spare: MsgpackWriter | undefined;

/** Canonical msgpack of a value. */
export function encode<T>(kind: Kind<T>, value: T): Uint8Array {
  return encodeWithPrefix(NO_PREFIX, kind, value);
}

/** Canonical msgpack after a prefix that names what is hashed or signed, e.g. `TX`. */
export function encodeWithPrefix<T>(prefix: Uint8Array, kind: Kind<T>, value: T): Uint8Array {
  const writer = spare?.clear() ?? new MsgpackWriter();
  // A kind may encode a part by itself meanwhile, with a writer of its own.
  spare = undefined;
  writer.raw(prefix);
  kind.write(writer, value);
  // Small Buffers share memory, which relieves the garbage collector; nothing long-lived is kept in them.
  const bytes = Buffer.from(writer.written);
  if (bytes.length <= MAX_KEPT_LENGTH) spare = writer;
  return bytes;
}

/** A structure as algod's codec writes it: canonical msgpack, or JSON with sorted keys, two spaces, no last newline. */
export interface Document {
  toMsgpack(): Uint8Array;
  /** The JSON text. */
  toJson(): string;
}

/** A value with its schema, ready to be written either way. */
export function document<T>(kind: Kind<T>, value: T): Document {
  return { toMsgpack: () => encode(kind, value), toJson: () => kind.json(value, '') };
}
