import { encode } from '../codec/document.ts';
import { list } from '../codec/list.ts';
import { field, Struct, type Field } from '../codec/struct.ts';
import type { StateDelta } from '../ledger/state/state.ts';
import { perTable, TABLE_NAMES, TABLES, type Entry, type TableName } from '../ledger/state/tables.ts';
import { parts, readPart } from './parts.ts';

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
