import type { InnerTransaction } from '../codec/schema/apply-data.ts';

/** A transaction with its effects, and the transactions that its program submitted, each before its own inner ones. */
export function* transactionsWithin(root: InnerTransaction): Generator<InnerTransaction> {
  yield root;
  for (const inner of root.evalDelta.inner ?? []) yield* transactionsWithin(inner);
}

/** The application that a transaction calls or creates; 0: none. */
export function applicationOf({ transaction, applicationId }: InnerTransaction): bigint {
  return transaction.applicationId || applicationId;
}
