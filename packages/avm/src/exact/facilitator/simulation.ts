import { type AlgodRefusal, algodRefusal, parseAlgodRefusal } from '@avm402/algorand/algod-refusal';
import { encodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { X402Error } from '@avm402/core/errors';
import { isAlgorandError } from '@avm402/algorand/errors';
import { chainRefusal } from './chain-refusal.ts';
import type { Verdict } from './verdict.ts';
import type { CheckedPayment } from './verified-payment.ts';

/**
 * Asks a node whether the group would succeed now. The fee payer does not sign for it (allow-empty-signatures), so
 * verification never puts a complete group into anybody's hands.
 * @throws X402Error with the fine wire reason for a refusal, `algod_unreachable` when no node answers
 */
export async function simulate(payment: CheckedPayment): Promise<Verdict> {
  const { feePayer, transfer } = payment.exact;
  const unsigned = feePayer === undefined ? [] : [encodeSignedTransaction({ txn: feePayer.transaction })];
  const transactions = [...unsigned, transfer.bytes];
  try {
    const { lastRound, failureMessage } = await payment.network.algod.simulate({
      transactions,
      allowEmptySignatures: true,
    });
    if (failureMessage === undefined) return { lastRound };
    throw refused(payment, parseAlgodRefusal(failureMessage));
  } catch (error) {
    const refusal = algodRefusal(error);
    throw refusal === undefined ? asTrouble(error) : refused(payment, refusal);
  }
}

function refused({ payer, exact: { feePayer } }: CheckedPayment, refusal: AlgodRefusal): X402Error {
  const parties = feePayer === undefined ? { payer } : { payer, feePayer: feePayer.transaction.sender };
  return chainRefusal(refusal, parties, 'invalid_exact_avm_simulation_failed');
}

/** Trouble with the node is nobody's verdict on the payment. */
export function asTrouble(error: unknown): unknown {
  return isAlgorandError(error) ? new X402Error('algod_unreachable', { cause: error }) : error;
}
