import type { Spending } from '../budget/spending.ts';
import { isX402Error, X402Error, type X402ErrorCode } from '@avm402/core/errors';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { ReplayableRequest } from '../http/replayable-request.ts';
import { sendUntilAnswered, type Attempt, type SendOptions } from '../http/send-until-answered.ts';
import { parseReceipt } from '../http/receipt.ts';
import type { SentPayment } from '../journal/sent-payment.ts';
import { offerIn } from '../offers/parse-offer.ts';
import { advance, knownSettlement, type PaidRequest } from './paid-request.ts';

/** The facilitator's code for a slot that a payment under way holds. */
const SLOT_HELD: X402ErrorCode = 'invalid_exact_avm_lease_held';
const FIRST_PAUSE_MS = 100;

export interface PresentOptions extends SendOptions {
  readonly spending: Spending;
}

/** The answer to a payment. */
export interface Presented {
  readonly paid: PaidRequest;
  readonly response: Response;
  /** From the seller's receipt, or from the buyer's node. */
  readonly settlement: SettleResponse | undefined;
}

/** No answer came. */
interface Unanswered {
  readonly paid: PaidRequest;
  readonly failure: X402Error;
}

/**
 * Sends a request with its payment until an answer closes it. After a lost answer or an unknown outcome it sends the
 * same payment again; nothing that the seller says causes a second one. Asks the buyer's own node whether the payment
 * was confirmed or has expired. `failure` is an X402Error `payment_settled_without_response`,
 * `payment_outcome_unknown`, or `request_failed` (the payment expired, so nothing was paid).
 * @throws X402Error `unsafe_redirect`; the signal's reason
 */
export async function presentPayment(
  request: ReplayableRequest,
  paid: PaidRequest,
  options: PresentOptions,
): Promise<Presented | Unanswered> {
  const attempt = await send(request, paid, options);
  if ('lost' in attempt) {
    const seen = await askOwnNode(paid, request.signal, options);
    return { paid: seen, failure: noAnswer(seen, attempt.lost) };
  }
  const { response, said } = attempt;
  if (said?.success === true) {
    return { paid: advance(paid, { event: 'receipt', receipt: said }), response, settlement: said };
  }
  // The response that was paid for is here: it need not wait for the buyer's node.
  const seen = response.ok ? paid : await askAfterRefusal(paid, response, request.signal, options);
  return { paid: seen, response, settlement: knownSettlement(seen, said) };
}

async function send(request: ReplayableRequest, paid: PaidRequest, options: PresentOptions): Promise<Attempt> {
  const { url, header } = paid.proof;
  const receiptOfPayment = (receipt: string | null): SettleResponse | undefined => receiptOf(paid.payment, receipt);
  try {
    return await sendUntilAnswered(request, { url, header, receiptOf: receiptOfPayment }, options);
  } catch (failure) {
    throw isX402Error(failure) ? failure.with({ transaction: paid.payment.txId }) : failure;
  }
}

/**
 * The receipt of this payment; undefined for a success that names a transaction outside its group, or more than its
 * maximum. Any transaction of the group will do, because some facilitators name the fee payer's.
 */
function receiptOf({ groupTxIds, lease, amount }: SentPayment, header: string | null): SettleResponse | undefined {
  const receipt = parseReceipt(header);
  if (!receipt?.success) return receipt;
  // Only the chain can say for sure what the charge is, and so what its TxID is.
  const isIts = lease === undefined ? groupTxIds.includes(receipt.transaction) : isWithin(receipt, amount);
  return isIts ? receipt : undefined;
}

function isWithin({ amount = '0' }: SettleResponse, maximum: bigint): boolean {
  return /^\d{1,20}$/.test(amount) && BigInt(amount) <= maximum;
}

/**
 * Asks the buyer's node after a refusal. Where another payment under way holds the slot of this one, it asks again until
 * the node has seen that one: then this one is over, and the next slot may pay.
 */
async function askAfterRefusal(
  paid: PaidRequest,
  response: Response,
  signal: AbortSignal | undefined,
  options: PresentOptions,
): Promise<PaidRequest> {
  const isSlotHeld = paid.payment.slotLease !== undefined && offerIn(response)?.error === SLOT_HELD;
  for (let pause = FIRST_PAUSE_MS, waited = 0; ; waited += pause, pause *= 2) {
    const seen = await askOwnNode(paid, signal, options);
    if (!isSlotHeld || seen.state !== 'sent' || waited + pause > options.recoverMs) return seen;
    await options.sleep(pause, signal);
  }
}

/**
 * Asks the buyer's node what became of a payment. Resolves to the payment with the answer. Rejects with the signal's
 * reason.
 */
export async function askOwnNode(
  paid: PaidRequest,
  signal: AbortSignal | undefined,
  { spending }: Pick<PresentOptions, 'spending'>,
): Promise<PaidRequest> {
  return advance(paid, { event: 'seen', outcome: await spending.learn(paid.payment, signal) });
}

/** The caller's error when no answer came. It depends on what the buyer's node said. */
function noAnswer({ payment: { txId, lastValid }, state }: PaidRequest, cause: unknown): X402Error {
  const details = { transaction: txId, lastValid: Number(lastValid) };
  if (state === 'confirmed') {
    const message = `payment ${txId} settled, but the resource did not answer`;
    return new X402Error('payment_settled_without_response', { message, details, cause });
  }
  if (state === 'expired') {
    const message = `the resource did not answer; payment ${txId} expired, so nothing was paid`;
    return new X402Error('request_failed', { message, details, cause });
  }
  const message = `outcome of ${txId} not yet known: the resource did not answer; do not pay again`;
  return new X402Error('payment_outcome_unknown', { message, details, cause });
}
