import type { SettleResponse } from '@avm402/core/settle-response';
import type { PaymentRequirements } from '@x402/core/types';
import type { StoredResponse } from '../response/held-answer.ts';

/**
 * How far the redemption of a payment is:
 * `claimed`    a request holds it and runs the handler;
 * `released`   given back unpaid;
 * `sending`    settlement was or is about to be asked for, the outcome is open;
 * `settled`    paid. Final.
 */
export type RedemptionState = 'claimed' | 'released' | 'sending' | 'settled';

/** A payment is valid for at most 1,000 rounds, some 50 minutes. */
export const LONGEST_VALIDITY_MS = 60 * 60_000;

/** What is known of one payment. */
export interface Redemption {
  /**
   * The key, which no change of the header's bytes changes: the payment transaction's id, or, for an authorization
   * (`upto`), `payer/lease`.
   */
  readonly txId: string;
  /** Random at first; grows by one with each change. A change applies to the version that it was made from. */
  readonly version: number;
  readonly state: RedemptionState;
  readonly payer: string;
  /** Hex SHA-256 of the group bytes that made the claim. */
  readonly groupDigest: string;
  /** Hex SHA-256 of the buyer's payment id, if there is one. One id belongs to one TxID. */
  readonly paymentId?: string;
  /** Hex SHA-256 of the request, its host included; absent if its body can't be told from others. */
  readonly fingerprint?: string;
  /** Hex SHA-256 of what the claim's route sells, and for what. */
  readonly route: string;
  /**
   * What the payment was matched with, and is settled with. Once settlement was asked for, the amount is what was
   * charged.
   */
  readonly requirements: PaymentRequirements;
  /** 128 random bits as hex. Every settle of this payment carries it. */
  readonly idempotencyKey: string;
  /** The claim that works on it, or the last one that did. */
  readonly owner: string;
  /** Whether a claim works on it. A claim at work renews the row, so a row that stands still has lost its claim. */
  readonly held: boolean;
  /**
   * Whether settlement was ever asked for. If so, the payment may be alive until its last valid round, whatever the
   * answer.
   */
  readonly sent: boolean;
  /**
   * How often the handler was started: while unpaid, since settlement was first asked for; once settled, since then.
   */
  readonly runs: number;
  /** The last answer of settle. */
  readonly receipt?: SettleResponse;
  readonly response?: StoredResponse;
  /** Whether all that was paid for has been handed out, or is kept in `response`. */
  readonly delivered: boolean;
  /** Whether its answer left before the payment was in a block. */
  readonly accepted?: true;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/** Whether the payment's transaction is made when it is settled (`upto`). */
export function isAuthorization({ txId }: Pick<Redemption, 'txId'>): boolean {
  return txId.includes('/');
}

/** The transaction that settles a payment, if it is known. */
export function transactionOf(redemption: Redemption): string | undefined {
  return isAuthorization(redemption) ? redemption.receipt?.transaction || undefined : redemption.txId;
}

/** A payment as a request presents it, as far as redemption is concerned. */
export type Presentation = Pick<Redemption, 'txId' | 'groupDigest' | 'payer' | 'route' | 'paymentId' | 'fingerprint'>;

/** What may happen with a presented payment. */
export type Decision =
  /** Nobody holds it: after a valid verdict it may be claimed, and the handler runs. */
  | 'claim'
  /** It was submitted, and its outcome is open or may change. This is the buyer: settle again with its key. */
  | 'resume'
  /** Paid, but never delivered. This is the buyer: run the handler again. */
  | 'rerun'
  /** Paid, or answered before its block. This is the buyer: send the kept response. */
  | 'replay'
  /** Somebody works on it: wait. */
  | 'wait'
  /** Its outcome is open, and this is not known to be the buyer. */
  | 'pending'
  /** Used or refused, and not available to this request. */
  | 'duplicate'
  /** The payment id belongs to another request. */
  | 'conflict'
  /** The handler ran as often as one payment allows. */
  | 'exhausted';

/** Most handler runs of a payment since settlement was asked for, and as many again once it is settled. */
export const MAX_RUNS = 3;

/** Refusals that no repetition can turn into a settlement for us. */
const FINAL_REFUSALS: ReadonlySet<string | undefined> = new Set(['duplicate_settlement', 'payment_already_on_chain']);

/** When a payment is presented. */
export interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether a claim works on the payment. */
  readonly isAtWork: boolean;
}

/** What may happen with a presented payment, given what is known of it. A pure function. */
export function decide(known: Redemption | undefined, presented: Presentation, moment: Moment): Decision {
  if (known === undefined) return 'claim';
  if (isConflict(known, presented)) return 'conflict';
  if (known.state === 'settled') return decideSettled(known, presented, moment);
  if (known.state === 'released') return decideFree(known, presented);
  if (moment.isAtWork) return 'wait';
  if (known.state === 'claimed') return decideFree(known, presented);
  if (known.accepted) return isBuyer(known, presented) && isKept(known, moment) ? 'replay' : 'pending';
  return isBuyer(known, presented) ? 'resume' : 'pending';
}

/**
 * Once settlement was asked for, only the buyer may try again: the payment could be on chain, where anyone can copy it.
 */
function decideFree(known: Redemption, presented: Presentation): Decision {
  // A new payment costs its maker nothing either, so a limit would hit only those whose handler fails.
  if (!known.sent) return 'claim';
  if (!isBuyer(known, presented) || FINAL_REFUSALS.has(known.receipt?.errorReason)) return 'duplicate';
  if (mayBeConfirmed(known)) return 'resume';
  return known.runs < MAX_RUNS ? 'claim' : 'exhausted';
}

/** Whether the refusal is that of a submitted payment, which may still get into a block. */
export function mayBeConfirmed({ receipt }: Pick<Redemption, 'receipt'>): boolean {
  return receipt?.extra?.['state'] === 'rejected';
}

function decideSettled(known: Redemption, presented: Presentation, { now, isAtWork }: Moment): Decision {
  if (!isBuyer(known, presented)) return 'duplicate';
  if (isKept(known, { now })) return 'replay';
  if (known.delivered) return 'duplicate';
  if (isAtWork) return 'wait';
  return known.runs < MAX_RUNS ? 'rerun' : 'duplicate';
}

function isKept({ response }: Redemption, { now }: Pick<Moment, 'now'>): boolean {
  return response !== undefined && response.keptUntil > now;
}

/** Whether a buyer who comes back can be told from others. */
export function canTellBuyer({ paymentId, fingerprint }: Pick<Presentation, 'paymentId' | 'fingerprint'>): boolean {
  return paymentId !== undefined && fingerprint !== undefined;
}

/**
 * Whether the request comes from the buyer who made the claim. The proof alone is public once the payment is in a block, so
 * the request must bring the same bytes, be the same at the same route, and have the same payment id, which only the
 * buyer and this server have seen.
 */
export function isBuyer(known: Redemption, presented: Presentation): boolean {
  return (
    canTellBuyer(known) &&
    known.paymentId === presented.paymentId &&
    known.fingerprint === presented.fingerprint &&
    known.route === presented.route &&
    known.groupDigest === presented.groupDigest
  );
}

function isConflict(known: Redemption, presented: Presentation): boolean {
  if (known.paymentId === undefined || known.paymentId !== presented.paymentId) return false;
  return known.txId !== presented.txId || known.fingerprint !== presented.fingerprint;
}
