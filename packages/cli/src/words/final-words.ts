import { isAlgorandError } from '@avm402/algorand/errors';
import { reportOf, settlementOf } from '@avm402/client';
import { isX402Error } from '@avm402/core/errors';
import { EXIT } from './exit-code.ts';

/** The last words of the program, and its exit code. */
export interface FinalWords {
  readonly exitCode: number;
  /** Undefined: there is nothing to add. */
  readonly words?: string;
  /** The payment whose outcome is not known yet. */
  readonly unknown?: string;
}

/** The final words about a response. `txId`: the payment that left, if one did. */
export function finalWords(response: Response, txId: string | undefined): FinalWords {
  const { status } = response;
  const settlement = settlementOf(response);
  if (settlement?.success === true) {
    if (response.ok) return { exitCode: EXIT.done };
    const words = `payment ${settlement.transaction} settled, but the resource answered ${status}`;
    return { exitCode: EXIT.paidWithoutResource, words };
  }
  if (settlement?.errorReason === 'settlement_pending') {
    return unknown(txId ?? settlement.transaction, `, status ${status}`);
  }
  if (!response.ok)
    return { exitCode: EXIT.unpaid, words: `no payment settled, status ${status}${stillAlive(response)}` };
  // The response that was paid for came without a receipt: the payment may be settled now or later.
  if (txId !== undefined) return unknown(txId, `, status ${status}`);
  return { exitCode: EXIT.done, words: 'nothing had to be paid' };
}

/** Anyone who has a refused payment can still submit it, until the buyer's node has seen it expire. */
function stillAlive(response: Response): string {
  const { payment, outcome } = reportOf(response) ?? {};
  if (!payment || outcome?.state === 'expired') return '';
  return `; payment ${payment.txId} could still be settled until round ${payment.lastValid}`;
}

/** The TxID of the payment that an error is about. */
export function transactionIn(error: unknown): string | undefined {
  const txId = isX402Error(error) ? error.details['transaction'] : undefined;
  return typeof txId === 'string' ? txId : undefined;
}

/**
 * The final words about an error. `txId`: the payment that had left before it, if one had. `response`: the one that
 * broke off.
 */
export function finalWordsOnError(error: unknown, txId: string | undefined, response?: Response): FinalWords {
  if (txId === undefined) {
    // Our own errors come after an offer; fetch's come before.
    const wasAsked = isX402Error(error) || isAlgorandError(error);
    return wasAsked ? { exitCode: EXIT.unpaid, words: 'no payment settled, status 402' } : { exitCode: EXIT.failed };
  }
  // The buyer's node has seen it expire, whatever a receipt said before.
  if (isX402Error(error, 'request_failed')) return { exitCode: EXIT.unpaid, words: 'no payment settled, no answer' };
  const isSettled = response !== undefined && settlementOf(response)?.success === true;
  if (isSettled || isX402Error(error, 'payment_settled_without_response')) {
    return { exitCode: EXIT.paidWithoutResource, words: `payment ${txId} settled, but the resource did not answer` };
  }
  return unknown(txId, '');
}

function unknown(txId: string, status: string): FinalWords {
  const words = `outcome of ${txId} not yet known${status}; do not pay again`;
  return { exitCode: EXIT.unknown, words, unknown: txId };
}
