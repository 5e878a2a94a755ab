import {
  BLANK_TRANSACTION,
  type ApplicationMember,
  type Effects,
  type ProgramEffects,
  type StateChanges,
} from '@avm402/teal/application';
import {
  innerTransaction,
  NO_EFFECTS,
  type ApplyData,
  type EvalDelta,
  type InnerTransaction,
  type KeyDeltas,
  valueDelta,
} from '../codec/schema/apply-data.ts';
import { transaction as transactionSchema, type Transaction } from '../codec/schema/transaction.ts';

/** The effects of a transaction that it does not state itself, filled in as it takes effect. */
export interface TransactionEffects extends Effects {
  closingAmount?: bigint;
  assetClosingAmount?: bigint;
}

/** A field of any kind. */
interface Field {
  readonly kind: { isZero(value: unknown): boolean };
}

/** The effects as blocks and answers hold them. */
export function applyDataOf({ program, ...rest }: TransactionEffects): Partial<ApplyData> {
  return program === undefined ? rest : { ...rest, evalDelta: evalDeltaOf(program) };
}

const PROGRAMS: ReadonlySet<string> = new Set(['approvalProgram', 'clearStateProgram']);

/** A transaction that a program built. What is empty counts as never set, unless it is a program. */
export function transactionOf(fields: ApplicationMember['transaction']): Transaction {
  const values: Readonly<Record<string, unknown>> = { ...fields };
  const isSet = (name: string, { kind }: Field): boolean =>
    PROGRAMS.has(name) ? values[name] !== BLANK_TRANSACTION.approvalProgram : !kind.isZero(values[name]);
  const set = Object.entries<Field>(transactionSchema.fields).filter(
    ([name, field]) => values[name] !== undefined && isSet(name, field),
  );
  return transactionSchema.of(Object.fromEntries(set.map(([name]) => [name, values[name]])));
}

/** µAlgo of the fees of the transactions that programs submitted. */
export function innerFees({ program }: Effects): bigint {
  if (program === undefined) return 0n;
  return program.inner.reduce((sum, { transaction, effects }) => sum + transaction.fee + innerFees(effects), 0n);
}

function evalDeltaOf({ globals, locals, sharedAccounts, logs, inner }: ProgramEffects): EvalDelta {
  return {
    ...NO_EFFECTS,
    globals: keyDeltasOf(globals),
    locals: new Map(Array.from(locals, ([index, changes]) => [BigInt(index), keyDeltasOf(changes)])),
    logs,
    sharedAccounts,
    inner: inner.map(innerTransactionOf),
  };
}

function innerTransactionOf({ transaction, effects }: ApplicationMember): InnerTransaction {
  return innerTransaction.of({ ...applyDataOf(effects), transaction: transactionOf(transaction) });
}

function keyDeltasOf(changes: StateChanges): KeyDeltas {
  return new Map(
    Array.from(changes, ([key, value]) => {
      if (value === undefined) return [key, valueDelta.of({ action: 3n })];
      if (typeof value === 'bigint') return [key, valueDelta.of({ action: 2n, uint: value })];
      return [key, valueDelta.of({ action: 1n, bytes: value })];
    }),
  );
}
