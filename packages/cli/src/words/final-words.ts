import { isAlgorandError } from '@avm402/algorand/errors';
import { reportOf, settlementOf } from '@avm402/client';
import { isX402Error } from '@avm402/core/errors';
import type { SettleResponse } from '@avm402/core/settle-response';
import { EXIT } from './exit-code.ts';

/** The last words of the program, and its exit code. */
export interface FinalWords {
  readonly exitCode: number;
  /** Undefined: there is nothing to add. */
  readonly words?: string;
  /** The TxID of the payment whose outcome is not known yet, if algod can be asked about it. */
  readonly unknown?: string;
}

/** An authorization of at most a price has none before it is settled. */
const TRANSACTION_ID = /^[A-Z2-7]{52}$/;

/** Stands for the TxID, which a voucher does not have. */
const BY_VOUCHER = 'by voucher';

/** The final words about a response. `txId`: the payment that left, if one did. */
export function finalWords(response: Response, txId: string | undefined): FinalWords {
  const { status } = response;
  const { settlement, offer } = reportOf(response) ?? {};
  if (settlement?.success === true) {
    if (response.ok) return { exitCode: EXIT.done };
    const words = `payment ${settlement.transaction || BY_VOUCHER} settled, but the resource answered ${status}`;
    return { exitCode: EXIT.paidWithoutResource, words: words + paysAnew(status, settlement) };
  }
  if (settlement?.errorReason === 'settlement_pending') {
    return unknown(txId ?? settlement.transaction, `, status ${status}`);
  }
  if (!response.ok)
    return { exitCode: EXIT.unpaid, words: `no payment settled, status ${status}${stillAlive(response)}` };
  // The response that was paid for came without a receipt: the payment may be settled now or later.
  if (txId !== undefined || offer) return unknown(txId, `, status ${status}`);
  return { exitCode: EXIT.done, words: 'nothing had to be paid' };
}

/** A channel's seller that answers a charged voucher with 402 has no answer to give again. */
function paysAnew(status: number, { extra }: SettleResponse): string {
  if (status !== 402 || extra?.['chargedAmount'] === undefined) return '';
  return '; it has not kept its answer, and the same request pays anew';
}

/** Anyone who has a refused payment can still submit it, until the buyer's node has seen it expire. */
function stillAlive(response: Response): string {
  const { payment, outcome } = reportOf(response) ?? {};
  if (!payment || outcome?.state === 'expired') return '';
  return `; payment ${payment.txId} could still be settled until round ${payment.lastValid}`;
}

/** The TxID of the payment that an error is about. */
function transactionIn(error: unknown): string | undefined {
  const txId = isX402Error(error) ? error.details['transaction'] : undefined;
  return typeof txId === 'string' ? txId : undefined;
}

/** What is known of a payment when an error ends its request. */
export interface Left {
  /** The payment that had left, if one had. */
  readonly txId: string | undefined;
  /** The response that broke off. */
  readonly response?: Response | undefined;
  /** Whether a voucher was to leave: no transaction says that it did. */
  readonly isByVoucher?: boolean | undefined;
}

/** The final words about an error. */
export function finalWordsOnError(error: unknown, known: Left): FinalWords {
  const left = { ...known, txId: known.txId ?? transactionIn(error) };
  // The buyer's node has seen it expire, whatever a receipt said before.
  if (left.txId !== undefined && isX402Error(error, 'request_failed')) {
    return { exitCode: EXIT.unpaid, words: 'no payment settled, no answer' };
  }
  const settled = settledIn(error, left);
  if (settled !== undefined) {
    return { exitCode: EXIT.paidWithoutResource, words: `payment ${settled} settled, but the resource did not answer` };
  }
  if (mayHaveLeft(error, left)) return unknown(left.txId, '');
  // Our own errors come after an offer; fetch's come before.
  const wasAsked = isX402Error(error) || isAlgorandError(error);
  return wasAsked ? { exitCode: EXIT.unpaid, words: 'no payment settled, status 402' } : { exitCode: EXIT.failed };
}

/** The payment that is settled, for a sentence; undefined if none is known to be. */
function settledIn(error: unknown, { txId, response }: Left): string | undefined {
  const { success = false, transaction = '' } = (response && settlementOf(response)) ?? {};
  if (!success && !isX402Error(error, 'payment_settled_without_response')) return undefined;
  return txId ?? (transaction || BY_VOUCHER);
}

/** Our own errors name the channel of a voucher that left; those of the caller, such as an interruption, do not. */
function mayHaveLeft(error: unknown, { txId, isByVoucher = false }: Left): boolean {
  if (txId !== undefined) return true;
  return isX402Error(error) ? 'channel' in error.details : isByVoucher && !isAlgorandError(error);
}

function unknown(txId: string | undefined, status: string): FinalWords {
  const words = `outcome of ${txId || 'a voucher'} not yet known${status}; do not pay again`;
  return { exitCode: EXIT.unknown, words, ...(txId && TRANSACTION_ID.test(txId) && { unknown: txId }) };
}
