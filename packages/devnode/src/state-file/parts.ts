import type { Kind } from '../codec/kind.ts';
import { MsgpackSource } from '../codec/msgpack-source.ts';
import { DevnodeError } from '../errors.ts';

/** Entries in one part: the msgpack reader accepts a hundred thousand values at once, and most entries have about twenty. */
const PART = 1000;

/** Splits entries into parts that can be encoded and read separately. */
export function* parts<T>(entries: Iterable<T>, size = PART): Generator<T[]> {
  let part: T[] = [];
  for (const entry of entries) {
    part.push(entry);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/**
 * Reads a part that was encoded separately.
 * @throws DevnodeError `damaged_state_file`
 */
export function readPart<T>(kind: Kind<T>, encoded: Uint8Array): T {
  try {
    return kind.read(new MsgpackSource(encoded), kind.zero);
  } catch (cause) {
    throw new DevnodeError('damaged_state_file', 'a state file holds a record that this node can’t read', { cause });
  }
}
