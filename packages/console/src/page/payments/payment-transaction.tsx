import type { PaymentSummary } from '../../payments/payment-summary.ts';
import { isTransactionId, ShortenedId, TransactionLink } from '../parts/address.tsx';

/** A payment's transaction, as a link if it may be on chain. A refused one is not, unless it has paid for something else. */
export function PaymentTransaction({
  payment: { transaction = '', outcome = '', standing },
}: {
  readonly payment: PaymentSummary;
}) {
  const isOnChain = standing !== 'refused' || outcome.startsWith('duplicate_');
  if (isTransactionId(transaction) && isOnChain) return <TransactionLink id={transaction} />;
  return <ShortenedId id={transaction} />;
}
