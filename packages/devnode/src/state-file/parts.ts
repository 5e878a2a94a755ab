import type { Kind } from '../codec/kind.ts';
import type { StateDelta } from '../ledger/state/state.ts';
import { DevnodeError } from '../errors.ts';
import { decodeMsgpack } from '../codec/decode.ts';
import { addressKey, addressOfKey } from '../transaction/address-key.ts';
import { bytes64 } from '../codec/bytes.ts';
import { encode } from '../codec/document.ts';
import { Struct, field, type Field } from '../codec/struct.ts';
import { list } from '../codec/list.ts';
import { PART, TABLES, TABLE_NAMES, perTable, type Entry, type TableName } from '../ledger/state/tables.ts';
import { uint64 } from '../codec/integer.ts';

/** Splits entries into parts that can be encoded and read separately. */
function* parts<T>(entries: Iterable<T>, size = PART): Generator<T[]> {
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
    return decodeMsgpack(kind, encoded);
  } catch (cause) {
    throw new DevnodeError('damaged_state_file', 'a state file holds a record that this node can’t read', { cause });
  }
}

type EntriesRead = { readonly [Name in TableName]: readonly Entry<Name>[] | undefined };
type EntryLists = { readonly [Name in TableName]: Field<EntriesRead[Name]> };

/** Entries of the tables. */
const changes = new Struct(perTable<EntryLists>((name) => field(TABLES[name].key, list(TABLES[name].entry))));

/** Entries of some tables, with their new values. */
export type ChangedEntries = {
  readonly [Name in TableName]?: { entries(): Iterable<Entry<Name>> };
};

/** Encodes entries of a state's tables, in parts that can be read separately. */
export function* encodeChanges(changed: ChangedEntries): Generator<Uint8Array> {
  for (const name of TABLE_NAMES) {
    for (const part of parts<Entry<TableName>>(changed[name]?.entries() ?? [], TABLES[name].part)) {
      yield encode(changes, changes.of({ [name]: part }));
    }
  }
}

/**
 * Reads one part and sets its values in a delta.
 * @throws DevnodeError `damaged_state_file`
 */
export function readChanges(encoded: Uint8Array, state: StateDelta): void {
  const read: EntriesRead = readPart(changes, encoded);
  perTable((name) => {
    for (const [key, value] of read[name] ?? []) state.tables[name].set(key, value);
  });
}

/** Leases (sender and lease together) that a block took, with the last round in which each is held. */
export type Leases = ReadonlyMap<string, bigint>;

const leaseList = list(new Struct({ lease: field('k', bytes64), expiry: field('x', uint64) }));

/** Encodes leases in parts that can be read separately. */
export function* encodeLeases(leases: Leases): Generator<Uint8Array> {
  for (const entries of parts(leases)) {
    const records = entries.map(([lease, expiry]) => ({ lease: addressOfKey(lease), expiry }));
    yield encode(leaseList, records);
  }
}

/**
 * Reads all parts.
 * @throws DevnodeError `damaged_state_file`
 */
export function readLeases(encoded: readonly Uint8Array[]): Leases {
  const records = encoded.flatMap((part) => readPart(leaseList, part) ?? []);
  return new Map(records.map(({ lease, expiry }) => [addressKey(lease), expiry]));
}
