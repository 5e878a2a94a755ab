import { paymentOf } from '../payment-record.ts';

/** What is said last about a response: undefined if it was a success. */
export function finalWords(response: Response): string | undefined {
  if (response.ok) return undefined;
  const { status } = response;
  const payment = paymentOf(response);
  const settlement = payment?.settlement;
  if (settlement?.success) return `payment ${settlement.transaction} settled, but the resource answered ${status}`;
  if (payment && settlement?.errorReason === 'settlement_pending') {
    return `outcome of ${payment.txId} not yet known, status ${status}; do not pay again`;
  }
  return `no payment settled, status ${status}`;
}
