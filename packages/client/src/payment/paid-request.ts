import type { SettleResponse } from '@avm402/core/settle-response';
import type { SentPayment } from '../journal/sent-payment.ts';
import type { PaymentOutcome } from '../own-node/payment-outcome.ts';
import type { Charge } from '../own-node/leased-transfer.ts';

interface PaidRequestFacts {
  readonly payment: SentPayment;
  readonly proof: PaymentProof;
  /** The seller's word that it is settled: a later answer to the same payment need not repeat it. */
  readonly receipt?: SettleResponse;
  /** When its answer or its receipt was first missing, ms since 1970. */
  readonly unfinishedSince?: number;
}

/** A payment that left, and its state. */
export type PaidRequest = PaidRequestFacts &
  (
    | { readonly state: 'sent' }
    /**
     * The response that was paid for has come, but without a receipt: once the payment is confirmed, nothing is
     * missing.
     */
    | { readonly state: 'answered' }
    /** The buyer's own node has seen it in a block. */
    | { readonly state: 'confirmed'; readonly round: bigint; readonly charge?: Charge }
    /** The buyer's own node has seen that no block holds it, or ever will. */
    | { readonly state: 'expired' }
    /** It can't be confirmed any more, and the buyer's own node no longer has the blocks that tell whether it was. */
    | { readonly state: 'forgotten' }
  );

export type PaidRequestEvent =
  /** The seller says that the payment is settled. */
  | { readonly event: 'receipt'; readonly receipt: SettleResponse }
  /** The buyer's own node was asked. */
  | { readonly event: 'seen'; readonly outcome: PaymentOutcome }
  /** The response that was paid for came without a receipt. `at`: ms since 1970. */
  | { readonly event: 'delivered'; readonly at: number }
  /** That response did not come, or it broke off. */
  | { readonly event: 'undelivered'; readonly at: number };

/** The payment after an event. What the buyer's node has seen is final. */
export function advance(paid: PaidRequest, happened: PaidRequestEvent): PaidRequest {
  if (happened.event === 'receipt') return { ...paid, receipt: happened.receipt };
  if (happened.event === 'seen') {
    const isFinal = paid.state === 'confirmed' || paid.state === 'expired';
    return isFinal || happened.outcome.state === 'open' ? paid : { ...paid, ...happened.outcome };
  }
  const unfinished = { ...paid, unfinishedSince: paid.unfinishedSince ?? happened.at };
  if (unfinished.state !== 'sent' && unfinished.state !== 'answered') return unfinished;
  return { ...unfinished, state: happened.event === 'delivered' ? 'answered' : 'sent' };
}

/** The last word of the buyer's node about a payment. */
export function outcomeOf(paid: PaidRequest): PaymentOutcome {
  if (paid.state === 'confirmed') {
    const { round, charge } = paid;
    return { state: 'confirmed', round, ...(charge && { charge }) };
  }
  return { state: paid.state === 'expired' ? 'expired' : 'open' };
}

/** The settlement, by everything that is known: the buyer's node outranks a receipt. */
export function knownSettlement(paid: PaidRequest, said: SettleResponse | undefined): SettleResponse | undefined {
  const { payment, receipt } = paid;
  if (paid.state === 'confirmed') {
    const { network, payer } = payment;
    const { charge } = paid;
    const amount = charge && { amount: charge.amount.toString() };
    return { success: true, transaction: charge?.txId ?? payment.txId, network, payer, ...amount };
  }
  // An expired payment can no longer settle, whatever the seller waits for or has said.
  if (paid.state === 'expired') return said?.errorReason === 'settlement_pending' ? undefined : said;
  return receipt ?? said;
}

/** Where a payment is sent, and its header. Both are secret and are never printed. */
export class PaymentProof {
  readonly #header: string;
  readonly #url: URL;

  constructor(header: string, url: URL) {
    this.#header = header;
    this.#url = url;
  }

  /**
   * The URL that made the offer, after any redirects: the payment is sent nowhere else. Its query may hold a secret.
   */
  get url(): string {
    return this.#url.href;
  }

  /** The value of PAYMENT-SIGNATURE: the same bytes, with the same payment id, each time it is sent. */
  get header(): string {
    return this.#header;
  }
}
