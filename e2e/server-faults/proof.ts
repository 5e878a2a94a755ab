import { decodeBase64 } from '@avm402/algorand/base64';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { transactionId } from '@avm402/algorand/transaction';
import { decodePaymentSignatureHeader } from '@avm402/core/headers';

/** TxID of the payment that a payment header carries. */
export function txIdOf(header: string): string {
  const { payload } = decodePaymentSignatureHeader(header);
  const { paymentGroup, paymentIndex } = payload as { paymentGroup: string[]; paymentIndex: number };
  const signed = decodeBase64(paymentGroup[paymentIndex] ?? '');
  if (signed === undefined) throw new Error('a payment is not base64');
  return transactionId(decodeSignedTransaction(signed).txn);
}
