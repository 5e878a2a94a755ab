import type { GroupTransaction } from '../group-transaction.ts';
import type { StackValue } from '../stack-value.ts';
import type { ByteKey } from './byte-key.ts';

/** The last value written for each key; undefined: the key was deleted. */
export type StateChanges = Map<ByteKey, StackValue | undefined>;

/** The effects of a call's program (algod's `dt`). They grow while the program runs. */
export interface ProgramEffects {
  readonly globals: StateChanges;
  /** By account: 0 is the sender, i the account i - 1 of the call's list, and those of `sharedAccounts` follow. */
  readonly locals: Map<number, StateChanges>;
  readonly sharedAccounts: Uint8Array[];
  readonly logs: Uint8Array[];
  /** All groups in one list. */
  readonly inner: ApplicationMember[];
}

/** What a transaction did beyond its own fields. The ledger writes all of it except `program`. */
export interface Effects {
  /** The asset that it created. */
  configAsset?: bigint;
  /** The application that it created. */
  applicationId?: bigint;
  /** Absent before a program has run, and after a clear state program that did not pass. */
  program?: ProgramEffects;
}

/** A transaction in its group, with its effects. */
export interface ApplicationMember extends GroupTransaction {
  readonly effects: Effects;
}
