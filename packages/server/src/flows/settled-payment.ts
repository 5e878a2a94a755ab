import { encodePaymentResponseHeader } from '@avm402/core/headers';
import { peerOf } from '@avm402/core/peer';
import type { SettleResponse } from '@avm402/core/settle-response';
import { refuse } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { ClaimOutcome } from '../redemption/claims.ts';
import { canTellBuyer, type Redemption, transactionOf } from '../redemption/redemption.ts';
import { recordedEnd } from '../facilitator/recorded-end.ts';
import { pendingReceipt } from '../facilitator/settle.ts';

type Used = Extract<ClaimOutcome, { decision: 'replay' | 'duplicate' | 'pending' }>;

/** Answers for a payment that another request has used or is using. Its handler does not run. */
export async function answerSettled(exchange: Exchange, { decision, redemption }: Used): Promise<void> {
  const { txId, payer, response } = redemption;
  const end = await lookUp(exchange, redemption);
  if (end !== undefined) await recordEnd(exchange, redemption, end);
  const receipt = end ?? redemption.receipt;
  if (decision === 'replay' && response && receipt && end?.success !== false) {
    exchange.report({ type: 'replayed', txId, payer });
    return exchange.responder.sendAgain(response, encodePaymentResponseHeader(receipt));
  }
  if (decision === 'pending' && end === undefined) {
    const pending = pendingReceipt({ ...redemption, transaction: transactionOf(redemption) });
    return refuse(exchange, { reason: 'settlement_pending', receipt: pending });
  }
  return refuse(exchange, { reason: 'duplicate_payment', ...(receipt !== undefined && { receipt }) });
}

/**
 * Records the end of a settlement. Only the claim's key can tell whose a confirmed payment is, so the row is left to the
 * buyer, who asks with that key, unless its answer has left already.
 */
async function recordEnd({ seller }: Exchange, redemption: Redemption, receipt: SettleResponse): Promise<void> {
  const { claims, risks } = seller;
  if (redemption.accepted && risks) return risks.end(redemption, receipt);
  if (redemption.accepted || !receipt.success || !canTellBuyer(redemption)) await claims.resolve(redemption, receipt);
}

/**
 * Asks the facilitator, in turn, for the outcome of a settlement that nobody works on any more; undefined while it is
 * open, and if there are too many who ask: anybody may send copies of a payment.
 */
async function lookUp(
  { seller, request, responder }: Exchange,
  redemption: Redemption,
): Promise<SettleResponse | undefined> {
  const { payer, requirements, state } = redemption;
  const transaction = transactionOf(redemption);
  // A request at work answers for its payment; its row must not be changed behind its back.
  if (state !== 'sending' || seller.claims.isAtWork(redemption) || transaction === undefined) return undefined;
  const ask = () => recordedEnd(seller.pool, { transaction, payer, network: requirements.network });
  const isThere = (): boolean => !responder.isClosed;
  const end = await seller.queue.do(peerOf(request.address), isThere, ask).catch(() => undefined);
  return end?.kind === 'ended' ? end.receipt : undefined;
}
