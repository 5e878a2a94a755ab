import { StateDelta, type State } from '../ledger/state/state.ts';
import type { PastRound } from '../ledger/state/online-accounts.ts';
import { encodeChanges, readChanges } from './changes.ts';
import type { PastRecord, StateRecord } from './record.ts';

/** The online accounts of the last rounds, a record for each that changed them. */
export function* pastRecords(past: readonly PastRound[]): Generator<StateRecord> {
  for (const { round, before } of past) {
    yield { past: { round, before: [...encodeChanges({ accounts: { entries: () => before } })] } };
  }
}

/**
 * Reads one of these records.
 * @throws DevnodeError `damaged_state_file`
 */
export function readPast({ round, before = [] }: PastRecord, state: State): PastRound {
  const found = new StateDelta(state);
  for (const part of before) readChanges(part, found);
  return { round, before: new Map(found.tables.accounts.entries()) };
}
