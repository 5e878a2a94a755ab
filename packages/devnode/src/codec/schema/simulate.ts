import { bytes } from '../bytes.ts';
import { boolean, int64, uint64 } from '../integer.ts';
import type { Kind, ValueOf } from '../kind.ts';
import { list } from '../list.ts';
import { optional } from '../optional.ts';
import { field, requiredField, Struct } from '../struct.ts';
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
  type: field('type', uint64),
  bytes: field('bytes', bytes),
  uint: field('uint', uint64),
});

/** The effects of one instruction of a program. */
const traceStep = new Struct({
  pc: requiredField('pc', uint64),
  scratchChanges: field(
    'scratch-changes',
    list(new Struct({ slot: requiredField('slot', uint64), newValue: requiredField('new-value', stackValue) })),
  ),
  stackAdditions: field('stack-additions', list(stackValue)),
  stackPopCount: field('stack-pop-count', int64),
});

const executionTrace = new Struct({
  logicSignatureHash: field('logic-sig-hash', bytes),
  logicSignatureTrace: field('logic-sig-trace', list(traceStep)),
});

export const transactionResult = new Struct({
  result: requiredField('txn-result', pendingTransaction),
  executionTrace: field('exec-trace', optional(executionTrace)),
  logicBudgetConsumed: field('logic-sig-budget-consumed', uint64),
  feesPaid: field('fees-paid', uint64),
  fixedSigner: field('fixed-signer', text),
});

const groupResult = new Struct({
  transactions: requiredField('txn-results', list(transactionResult)),
  failureMessage: field('failure-message', text),
  failedAt: field('failed-at', list(uint64)),
  budgetAdded: field('app-budget-added', int64),
  usage: field('group-usage', uint64),
  feesPaid: field('group-fees-paid', uint64),
});

export const evalOverrides = new Struct({
  allowEmptySignatures: field('allow-empty-signatures', boolean),
  allowUnnamedResources: field('allow-unnamed-resources', boolean),
  maxLogCalls: field('max-log-calls', uint64),
  maxLogSize: field('max-log-size', uint64),
  extraOpcodeBudget: field('extra-opcode-budget', int64),
  fixSigners: field('fix-signers', boolean),
});

/** States of applications before the group. There are none, but an empty map says that they were asked for. */
const initialStates: Kind<'asked for' | undefined> = {
  zero: undefined,
  isZero: (value) => value === undefined,
  isUnset: (value) => value === undefined,
  read(source) {
    throw source.error('initial states are not read');
  },
  write: (writer) => void writer.mapHeader(0),
  json: () => '{}',
};

export const simulateResponse = new Struct({
  version: requiredField('version', uint64),
  lastRound: requiredField('last-round', uint64),
  groups: requiredField('txn-groups', list(groupResult)),
  evalOverrides: field('eval-overrides', evalOverrides),
  traceConfig: field('exec-trace-config', traceConfig),
  initialStates: field('initial-states', initialStates),
});

export type ExecutionTrace = ValueOf<typeof executionTrace>;
export type StackValueRecord = ValueOf<typeof stackValue>;
export type SimulateRequest = ValueOf<typeof simulateRequest>;
export type SimulateResponse = ValueOf<typeof simulateResponse>;
export type TransactionResult = ValueOf<typeof transactionResult>;
export type GroupResult = ValueOf<typeof groupResult>;
