import type { InnerTransaction } from '../codec/schema/apply-data.ts';
import type { TransactionInBlock } from '../codec/schema/signed-transaction.ts';

/** A transaction with its effects, and the transactions that its program submitted, each before its own inner ones. */
export function* transactionsWithin(root: TransactionInBlock): Generator<InnerTransaction> {
  yield* within(root);
}

function* within(transaction: InnerTransaction): Generator<InnerTransaction> {
  yield transaction;
  for (const inner of transaction.evalDelta.inner ?? []) yield* within(inner);
}

/** The application that a transaction calls or creates; 0: none. */
export function applicationOf({ transaction, applicationId }: InnerTransaction): bigint {
  return transaction.applicationId || applicationId;
}
