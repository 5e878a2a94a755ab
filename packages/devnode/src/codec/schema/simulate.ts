import { bytes } from '../bytes.ts';
import { boolean, int64, uint64 } from '../integer.ts';
import type { Kind, ValueOf } from '../kind.ts';
import { lazy } from '../lazy.ts';
import { list } from '../list.ts';
import { optional, present } from '../optional.ts';
import { field, requiredField, Struct, type RecordOf } from '../struct.ts';
import { text } from '../text.ts';
import { pendingTransaction } from './pending.ts';
import { signedTransaction } from './signed-transaction.ts';

export const traceConfig = new Struct({
  enable: field('enable', boolean),
  stackChange: field('stack-change', boolean),
  scratchChange: field('scratch-change', boolean),
  stateChange: field('state-change', boolean),
});

const requestedGroup = new Struct({ transactions: field('txns', list(signedTransaction, '[]transactions.SignedTxn')) });

/** A simulate request (go-algorand daemon/algod/api/server/v2, PreEncodedSimulateRequest). */
export const simulateRequest = new Struct({
  groups: field('txn-groups', list(requestedGroup, '[]v2.PreEncodedSimulateRequestTransactionGroup')),
  round: field('round', uint64),
  allowEmptySignatures: field('allow-empty-signatures', boolean),
  allowMoreLogging: field('allow-more-logging', boolean),
  allowUnnamedResources: field('allow-unnamed-resources', boolean),
  extraOpcodeBudget: field('extra-opcode-budget', int64),
  traceConfig: field('exec-trace-config', traceConfig),
  fixSigners: field('fix-signers', boolean),
});

/** An integer or bytes on a program's stack: 1 is bytes, 2 an integer. */
const stackValue = new Struct({
  type: requiredField('type', uint64),
  bytes: field('bytes', bytes),
  uint: field('uint', uint64),
});

/** A change of an application's state; an absent value was deleted, or could not be written. */
const stateChange = new Struct({
  account: field('account', text),
  kind: requiredField('app-state-type', text),
  key: requiredField('key', bytes),
  newValue: field('new-value', optional(stackValue)),
  operation: requiredField('operation', text),
});

/** The effects of one instruction of a program. */
const traceStep = new Struct({
  pc: requiredField('pc', uint64),
  scratchChanges: field(
    'scratch-changes',
    list(new Struct({ slot: requiredField('slot', uint64), newValue: requiredField('new-value', stackValue) })),
  ),
  spawnedInners: field('spawned-inners', list(uint64)),
  stackAdditions: field('stack-additions', list(stackValue)),
  stackPopCount: field('stack-pop-count', int64),
  stateChanges: field('state-changes', list(stateChange)),
});

export type TraceStepRecord = ValueOf<typeof traceStep>;

const ownPrograms = {
  approvalHash: field('approval-program-hash', bytes),
  approvalTrace: field('approval-program-trace', list(traceStep)),
  clearStateHash: field('clear-state-program-hash', bytes),
  clearStateTrace: field('clear-state-program-trace', list(traceStep)),
  clearStateRollback: field('clear-state-rollback', boolean),
  clearStateRollbackError: field('clear-state-rollback-error', text),
  logicSignatureHash: field('logic-sig-hash', bytes),
  logicSignatureTrace: field('logic-sig-trace', list(traceStep)),
};

/** The programs that ran for a transaction, and for those inside it. */
export interface ExecutionTrace extends RecordOf<typeof ownPrograms> {
  readonly inner: readonly ExecutionTrace[] | undefined;
}

export const executionTrace: Kind<ExecutionTrace> & { of(values: Partial<ExecutionTrace>): ExecutionTrace } =
  new Struct({
    ...ownPrograms,
    inner: field('inner-trace', list(lazy((): Kind<ExecutionTrace> => executionTrace))),
  });

/** The resources that programs used although nothing names them. */
export const unnamedResources = new Struct({
  accounts: field('accounts', list(text)),
  applicationLocals: field(
    'app-locals',
    list(new Struct({ account: requiredField('account', text), application: requiredField('app', uint64) })),
  ),
  applications: field('apps', list(uint64)),
  assetHoldings: field(
    'asset-holdings',
    list(new Struct({ account: requiredField('account', text), asset: requiredField('asset', uint64) })),
  ),
  assets: field('assets', list(uint64)),
  boxes: field(
    'boxes',
    list(new Struct({ application: requiredField('app', uint64), name: requiredField('name', bytes) })),
  ),
  extraBoxReferences: field('extra-box-refs', uint64),
});

export type UnnamedResourcesRecord = ValueOf<typeof unnamedResources>;

export const transactionResult = new Struct({
  budgetConsumed: field('app-budget-consumed', uint64),
  result: requiredField('txn-result', pendingTransaction),
  executionTrace: field('exec-trace', optional(executionTrace)),
  logicBudgetConsumed: field('logic-sig-budget-consumed', uint64),
  feesPaid: field('fees-paid', uint64),
  fixedSigner: field('fixed-signer', text),
  unnamed: field('unnamed-resources-accessed', optional(unnamedResources)),
});

const groupResult = new Struct({
  transactions: requiredField('txn-results', list(transactionResult)),
  failureMessage: field('failure-message', text),
  failedAt: field('failed-at', list(uint64)),
  budgetAdded: field('app-budget-added', int64),
  budgetConsumed: field('app-budget-consumed', uint64),
  usage: field('group-usage', uint64),
  feesPaid: field('group-fees-paid', uint64),
  unnamed: field('unnamed-resources-accessed', optional(unnamedResources)),
});

export const evalOverrides = new Struct({
  allowEmptySignatures: field('allow-empty-signatures', boolean),
  allowUnnamedResources: field('allow-unnamed-resources', boolean),
  maxLogCalls: field('max-log-calls', uint64),
  maxLogSize: field('max-log-size', uint64),
  extraOpcodeBudget: field('extra-opcode-budget', int64),
  fixSigners: field('fix-signers', boolean),
});

const keyValues = new Struct({
  pairs: field(
    'kvs',
    list(new Struct({ key: requiredField('key', bytes), value: requiredField('value', stackValue) })),
  ),
  account: field('account', text),
});

/** The state of an application that programs used, as it was before the group. */
const applicationInitialState = new Struct({
  id: requiredField('id', uint64),
  boxes: field('app-boxes', optional(keyValues)),
  globals: field('app-globals', optional(keyValues)),
  locals: field('app-locals', list(keyValues)),
});

const initialStates = new Struct({
  applications: field('app-initial-states', list(applicationInitialState)),
});

export type InitialStates = ValueOf<typeof initialStates>;
export type ApplicationInitialState = ValueOf<typeof applicationInitialState>;
export type KeyValues = ValueOf<typeof keyValues>;

export const simulateResponse = new Struct({
  version: requiredField('version', uint64),
  lastRound: requiredField('last-round', uint64),
  groups: requiredField('txn-groups', list(groupResult)),
  evalOverrides: field('eval-overrides', evalOverrides),
  traceConfig: field('exec-trace-config', traceConfig),
  initialStates: field('initial-states', present(initialStates)),
});

export type StackValueRecord = ValueOf<typeof stackValue>;
export type SimulateRequest = ValueOf<typeof simulateRequest>;
export type SimulateResponse = ValueOf<typeof simulateResponse>;
export type TransactionResult = ValueOf<typeof transactionResult>;
export type GroupResult = ValueOf<typeof groupResult>;
