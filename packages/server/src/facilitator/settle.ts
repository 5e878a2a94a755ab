import { setTimeout } from 'node:timers/promises';
import { isX402Error, type X402Error } from '@avm402/core/errors';
import { networksEqual } from '@avm402/core/network';
import type { Trace } from '@avm402/core/trace';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { FacilitatorPool } from './facilitator-pool.ts';
import type { PaymentQuestion } from './payment-question.ts';
import type { PaymentRequirements } from '@x402/core/types';

/**
 * What became of settlement:
 * `settled`   paid;
 * `accepted`  a node has taken it, and the outcome is open; only if that was asked for;
 * `refused`   an answer: not paid by now. What was submitted may still be confirmed until its last valid round;
 * `declined`  refused before anything was submitted: nobody can be charged;
 * `unknown`   nobody can tell yet;
 * `unsent`    no facilitator got the request: nothing was submitted.
 */
export type SettleOutcome =
  | { readonly kind: 'settled'; readonly receipt: SettleResponse }
  | { readonly kind: 'accepted'; readonly receipt: SettleResponse }
  | { readonly kind: 'refused'; readonly receipt: SettleResponse }
  | { readonly kind: 'declined'; readonly receipt: SettleResponse }
  | { readonly kind: 'unknown'; readonly receipt: SettleResponse }
  | { readonly kind: 'unsent'; readonly error: X402Error };

/** A payment that receipts are about. */
interface Identified {
  /** Its TxID, or the one that the facilitator named last, if any. */
  readonly transaction: string | undefined;
  /** Whether the facilitator makes the transaction, for the amount that was charged: it may make another one. */
  readonly isAuthorization?: boolean;
  readonly payer: string;
  readonly requirements: PaymentRequirements;
}

/** What is settled. */
export interface Claimed extends Identified {
  /** Every attempt carries it. */
  readonly idempotencyKey: string;
  /** How often a handler was started for it. */
  readonly runs: number;
  /** Whether an earlier attempt may have got through. If so, the outcome is open, whatever becomes of this attempt. */
  readonly mayHaveBeenSent: boolean;
}

export interface SettleOptions {
  readonly pool: FacilitatorPool;
  /** Where its span belongs. */
  readonly trace: Trace;
  /** Whether to be told when a node has taken the payment. Default: only the outcome. */
  readonly respondAsync?: boolean;
  /** For all attempts together. */
  readonly timeoutMs: number;
  readonly now: () => number;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;
/** For one attempt: one that hangs must leave time for another. */
const ATTEMPT_MS = 30_000;

const TX_ID = /^[A-Z2-7]{52}$/;

/** Longest receipt, in characters. It travels in a header. */
const MAX_RECEIPT_LENGTH = 4_096;

/** Reasons that a stock facilitator gives for a payment that it did submit: its node may have taken it all the same. */
const SUBMITTED_UNCONFIRMED: ReadonlySet<string | undefined> = new Set([
  'invalid_exact_avm_settlement_failed',
  'invalid_exact_avm_confirmation_failed',
]);

/**
 * Asks for settlement until there is an answer or the time is up. Each attempt carries the claim's key, so that a
 * facilitator that recorded an answer gives it again. Never throws: an outcome that can't be known is `unknown`.
 */
export function settle(question: PaymentQuestion, claimed: Claimed, options: SettleOptions): Promise<SettleOutcome> {
  const facts = { offer: claimed.requirements, transaction: claimed.transaction, payer: claimed.payer };
  return options.trace.span('x402.settle', facts, async (inside) => {
    const outcome = await untilAnswered(question, claimed, { ...options, trace: inside });
    inside.note({ outcome: wordFor(outcome) });
    return outcome;
  });
}

function wordFor(outcome: SettleOutcome): string {
  if (outcome.kind === 'settled') return 'settled';
  return outcome.kind === 'unsent' ? outcome.error.code : (outcome.receipt.errorReason ?? outcome.kind);
}

async function untilAnswered(
  question: PaymentQuestion,
  claimed: Claimed,
  options: SettleOptions,
): Promise<SettleOutcome> {
  const { pool, trace, timeoutMs, now, respondAsync = false } = options;
  const deadline = now() + timeoutMs;
  let { mayHaveBeenSent, transaction } = claimed;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const left = Math.max(1, deadline - now());
    const request = { pool, trace, mayHaveBeenSent, respondAsync, timeoutMs: left };
    const attempt = await attemptSettle(question, claimed, request);
    if (isAnswer(attempt, claimed, { pool, mayHaveBeenSent })) return attempt;
    mayHaveBeenSent ||= attempt.kind !== 'unsent';
    if (attempt.kind === 'unknown') transaction = attempt.receipt.transaction || transaction;
    if (now() + pause >= deadline) {
      return mayHaveBeenSent ? { kind: 'unknown', receipt: pendingReceipt({ ...claimed, transaction }) } : attempt;
    }
    await setTimeout(pause);
  }
}

interface Knowledge {
  readonly pool: FacilitatorPool;
  readonly mayHaveBeenSent: boolean;
}

/** Whether asking again can't change what is known. A facilitator without a record can only repeat itself, or fail. */
function isAnswer(
  attempt: SettleOutcome,
  { requirements, runs }: Claimed,
  { pool, mayHaveBeenSent }: Knowledge,
): boolean {
  if (attempt.kind === 'settled' || attempt.kind === 'accepted' || attempt.kind === 'declined') return true;
  if (attempt.kind === 'refused') {
    const { receipt } = attempt;
    if (isRecorded(receipt) || pool.recordsAnswers(requirements)) return true;
    return !(mayHaveBeenSent || SUBMITTED_UNCONFIRMED.has(receipt.errorReason));
  }
  if (attempt.kind !== 'unsent' || mayHaveBeenSent) return false;
  // Once a handler has run, it is worth waiting for a facilitator.
  return runs === 0 || !isX402Error(attempt.error, 'facilitator_unreachable');
}

async function attemptSettle(
  question: PaymentQuestion,
  claimed: Claimed,
  { pool, mayHaveBeenSent, timeoutMs, ...request }: Knowledge & Omit<SettleOptions, 'now'>,
): Promise<SettleOutcome> {
  const { idempotencyKey, requirements } = claimed;
  const unknown = { kind: 'unknown', receipt: pendingReceipt(claimed) } as const;
  try {
    const limit = Math.min(timeoutMs, ATTEMPT_MS);
    const attempt = await pool.settle(question, { ...request, idempotencyKey, timeoutMs: limit });
    if (attempt.kind === 'unsent') return { kind: 'unsent', error: attempt.error };
    if (attempt.kind !== 'answer') return unknown;
    const receipt = published(attempt.answer);
    if (!isReceiptOf(claimed, receipt)) return unknown;
    if (receipt.errorReason === 'settlement_pending') return whilePending(receipt, request.respondAsync);
    if (receipt.success) return { kind: 'settled', receipt };
    const isOnlyOne = !mayHaveBeenSent && attempt.isRepeat === undefined;
    const isDeclined = isOnlyOne && isUnsubmitted(receipt) && pool.recordsAnswers(requirements);
    return { kind: isDeclined ? 'declined' : 'refused', receipt };
  } catch {
    return unknown;
  }
}

/**
 * Whether a receipt is about this payment. Fields left empty say nothing; only a refusal may leave out the transaction.
 */
function isReceiptOf(payment: Identified, receipt: SettleResponse): boolean {
  const { payer, requirements } = payment;
  return (
    (isTransactionOf(receipt, payment) || (!receipt.success && receipt.transaction === '')) &&
    ['', payer].includes(receipt.payer ?? '') &&
    (receipt.network.length === 0 || networksEqual(receipt.network, requirements.network))
  );
}

/**
 * Whether a receipt names the payment's transaction. A facilitator that makes the transaction says what it pays; a
 * payment of nothing needs none.
 */
function isTransactionOf(
  receipt: SettleResponse,
  { transaction, isAuthorization, requirements: { amount } }: Identified,
): boolean {
  if (!isAuthorization) return receipt.transaction === transaction;
  const isNamed = amount === '0' ? receipt.transaction === '' : TX_ID.test(receipt.transaction);
  return isNamed && (receipt.amount ?? amount) === amount;
}

/** Whether the answer comes from a facilitator's record; the facilitator would then give it again. */
function isRecorded({ extra }: SettleResponse): boolean {
  return typeof extra?.['state'] === 'string';
}

/**
 * Whether a refusal of a facilitator that keeps records has no record: nothing was submitted. A duplicate names the
 * transaction.
 */
function isUnsubmitted(receipt: SettleResponse): boolean {
  return receipt.transaction === '' && !isRecorded(receipt);
}

/** The outcome while it is open: whether a node has taken the payment, which the receipt names, into its pool. */
function whilePending(receipt: SettleResponse, isAsked = false): SettleOutcome {
  const isTaken = isAsked && receipt.transaction !== '' && receipt.extra?.['accepted'] === true;
  return { kind: isTaken ? 'accepted' : 'unknown', receipt };
}

/** The receipt of a payment whose outcome is open. */
export function pendingReceipt({ transaction = '', payer, requirements }: Identified): SettleResponse {
  return {
    success: false,
    errorReason: 'settlement_pending',
    payer,
    transaction,
    network: requirements.network,
  };
}

/** The receipt as the buyer gets it. What only facilitator and server share is left out, and it fits into a header. */
function published({ extensionResponses: _internal, ...receipt }: SettleResponse): SettleResponse {
  if (JSON.stringify(receipt).length <= MAX_RECEIPT_LENGTH) return receipt;
  const { success, transaction, network, payer, amount, errorReason, extra } = receipt;
  const state = extra?.['state'];
  return {
    success,
    transaction,
    network,
    ...(payer && { payer }),
    ...(amount && { amount }),
    ...(errorReason && { errorReason }),
    // Without it, a payment that may still be confirmed is taken for one that can't.
    ...(state === 'rejected' && { extra: { state } }),
  };
}
