import { formatAddress } from '@avm402/algorand/address';
import type { Transaction } from '../codec/schema/transaction.ts';
import { sameBytes } from '../codec/bytes.ts';
import type { FormContext } from './context.ts';

/** The problem with the form of a `pay`, if any (go-algorand data/transactions/payment.go). */
export function paymentProblem(payment: Transaction, { feeSink }: FormContext): string | undefined {
  const { sender, closeRemainderTo } = payment;
  // Without a close, only the zero sender is refused here.
  if (sameBytes(closeRemainderTo, sender)) {
    return `transaction cannot close account to its sender ${formatAddress(sender)}`;
  }
  if (sameBytes(sender, feeSink)) return `cannot spend from fee sink address ${formatAddress(sender)}`;
  return undefined;
}
