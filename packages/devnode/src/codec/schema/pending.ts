import { uint64 } from '../integer.ts';
import { list } from '../list.ts';
import { field, requiredField, Struct } from '../struct.ts';
import { text } from '../text.ts';
import { signedTransaction } from './signed-transaction.ts';

/** The status of a transaction (algod's PreEncodedTxInfo). */
export const pendingTransaction = new Struct({
  assetIndex: field('asset-index', uint64),
  closingAmount: field('closing-amount', uint64),
  assetClosingAmount: field('asset-closing-amount', uint64),
  confirmedRound: field('confirmed-round', uint64),
  poolError: requiredField('pool-error', text),
  transaction: requiredField('txn', signedTransaction),
});

/** The pool's transactions. */
export const pendingTransactions = new Struct({
  topTransactions: requiredField('top-transactions', list(signedTransaction)),
  totalTransactions: requiredField('total-transactions', uint64),
});
