import { bytes, bytes32 } from '../codec/bytes.ts';
import { encode } from '../codec/document.ts';
import { boolean, int64, uint64 } from '../codec/integer.ts';
import type { ValueOf } from '../codec/kind.ts';
import { list } from '../codec/list.ts';
import { nullable, optional } from '../codec/optional.ts';
import { field, requiredField, Struct } from '../codec/struct.ts';
import { textBytes } from '../codec/text.ts';
import { readPart } from './parts.ts';

/** Names the chain of a file. */
const head = new Struct({
  genesis: field('genesis', textBytes),
  genesisHash: field('gh', bytes32),
  /** The round of the first block in the file; 0: all since genesis are in it. */
  oldest: field('oldest', uint64),
});

const block = new Struct({
  hash: field('hash', bytes32),
  header: field('header', bytes),
  /** 32 bytes each. */
  txIds: field('ids', bytes),
  transactions: field('txns', list(bytes)),
  /** Its changes, in parts by `encodeChanges`, if they have to be known. */
  changes: field('changes', list(bytes)),
  /** Its leases, in parts by `encodeLeases`. */
  leases: field('leases', list(bytes)),
});

/** Online accounts as they were before a round, in parts by `encodeChanges`. */
const past = new Struct({ round: field('round', uint64), before: field('before', list(bytes)) });

/** A developer's setting of the clock; `next` applies until the next block. */
const clock = new Struct({
  offset: requiredField('offset', nullable(int64)),
  ahead: field('ahead', int64),
  next: requiredField('next', nullable(int64)),
  paused: field('paused', boolean),
});

/** Says that all records before it together are the state after this block. */
const complete = new Struct({ round: field('round', uint64), hash: field('hash', bytes32) });

/** A record of a state file: exactly one of these fields is present. */
const record = new Struct({
  head: field('head', optional(head)),
  block: field('block', optional(block)),
  /** A part of the state with which the file begins, by `encodeChanges`. */
  changes: field('changes', optional(bytes)),
  past: field('past', optional(past)),
  clock: field('clock', optional(clock)),
  complete: field('complete', optional(complete)),
});

export type StateRecord = Partial<ValueOf<typeof record>>;
export type HeadRecord = ValueOf<typeof head>;
export type BlockRecord = ValueOf<typeof block>;
export type PastRecord = ValueOf<typeof past>;
export type CompleteRecord = ValueOf<typeof complete>;

export function encodeRecord(values: StateRecord): Uint8Array {
  return encode(record, record.of(values));
}

/** @throws DevnodeError `damaged_state_file` */
export function parseRecord(encoded: Uint8Array): StateRecord {
  return readPart(record, encoded);
}
