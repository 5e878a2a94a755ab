import { bytes } from '../bytes.ts';
import { uint64 } from '../integer.ts';
import type { Kind, ValueOf } from '../kind.ts';
import { lazy } from '../lazy.ts';
import { list } from '../list.ts';
import { field, requiredField, Struct, type RecordOf } from '../struct.ts';
import { text } from '../text.ts';
import { signedTransaction } from './signed-transaction.ts';

/** A key, in base64 like its bytes, and what happened to it. */
const keyDelta = new Struct({
  key: requiredField('key', text),
  value: requiredField(
    'value',
    new Struct({ action: field('action', uint64), bytes: field('bytes', text), uint: field('uint', uint64) }),
  ),
});

const localDelta = new Struct({
  address: requiredField('address', text),
  delta: requiredField('delta', list(keyDelta)),
});

export type KeyDeltaRecord = ValueOf<typeof keyDelta>;

const status = {
  assetIndex: field('asset-index', uint64),
  applicationIndex: field('application-index', uint64),
  closingAmount: field('closing-amount', uint64),
  assetClosingAmount: field('asset-closing-amount', uint64),
  confirmedRound: field('confirmed-round', uint64),
  poolError: requiredField('pool-error', text),
  globalDelta: field('global-state-delta', list(keyDelta)),
  localDeltas: field('local-state-delta', list(localDelta)),
  logs: field('logs', list(bytes)),
  transaction: requiredField('txn', signedTransaction),
};

/** The status of a transaction (algod's PreEncodedTxInfo). */
export interface PendingTransaction extends RecordOf<typeof status> {
  readonly inner: readonly PendingTransaction[] | undefined;
}

export const pendingTransaction: Kind<PendingTransaction> & {
  of(values: Partial<PendingTransaction>): PendingTransaction;
} = new Struct({
  ...status,
  inner: field('inner-txns', list(lazy((): Kind<PendingTransaction> => pendingTransaction))),
});

/** The pool's transactions. */
export const pendingTransactions = new Struct({
  topTransactions: requiredField('top-transactions', list(signedTransaction)),
  totalTransactions: requiredField('total-transactions', uint64),
});
