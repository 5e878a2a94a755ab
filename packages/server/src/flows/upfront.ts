import { encodePaymentResponseHeader } from '@avm402/core/headers';
import type { SettleResponse } from '@avm402/core/settle-response';
import { troubleReply } from '../answers.ts';
import type { Exchange } from '../exchange.ts';
import { canComeBack, type PaymentInRequest } from '../payment-in-request.ts';
import type { Claim } from '../redemption/claim.ts';
import { answerAgain } from '../response/handler-answer.ts';
import { streamPaid } from '../response/paid-stream.ts';
import { writeReply } from '../response/reply.ts';
import { record, replyLost, replyUnsettled, settleClaim } from './settle-claim.ts';

/** Settles, then runs the handler; its answer streams. A failed handler is not refunded, but can be run again. */
export async function settleThenRun(exchange: Exchange, payment: PaymentInRequest, claim: Claim): Promise<void> {
  if (!(await claim.sendingUnrun())) return writeReply(exchange.response, replyLost(claim));
  const outcome = await settleClaim(exchange, payment, claim);
  if (outcome.kind !== 'settled') {
    return writeReply(exchange.response, await replyUnsettled(exchange, claim, outcome));
  }
  await servePaid(exchange, payment, claim, outcome.receipt);
}

/** Finds out what became of a settlement that died under way, and serves the buyer who came back for it. */
export async function resume(exchange: Exchange, payment: PaymentInRequest, claim: Claim): Promise<void> {
  const outcome = await settleClaim(exchange, payment, claim);
  if (outcome.kind !== 'settled') {
    return writeReply(exchange.response, await replyUnsettled(exchange, claim, outcome));
  }
  const { receipt } = outcome;
  const { response, txId, payer } = claim.redemption;
  if (response !== undefined) {
    await record(exchange, claim, claim.settled(receipt));
    exchange.report({ type: 'replayed', txId, payer });
    return answerAgain(exchange.response, response, encodePaymentResponseHeader(receipt));
  }
  await servePaid(exchange, payment, claim, receipt);
}

/** Runs the handler again for a buyer who has paid and got nothing, or not all of it. */
export async function rerun(exchange: Exchange, payment: PaymentInRequest, claim: Claim): Promise<void> {
  const { receipt } = claim.redemption;
  if (receipt === undefined) return writeReply(exchange.response, replyLost(claim));
  return runSettled(exchange, payment, claim, receipt);
}

/**
 * Runs the handler once it is on record that the payment was settled and its handler runs, or another request with the
 * payment would run it, too. Without the record the buyer gets his receipt, and can come back.
 */
async function servePaid(
  exchange: Exchange,
  payment: PaymentInRequest,
  claim: Claim,
  receipt: SettleResponse,
): Promise<void> {
  let isRecorded: boolean;
  try {
    isRecorded = await claim.paid(receipt);
  } catch (error) {
    claim.abandon();
    exchange.report({ type: 'failed', txId: claim.redemption.txId, error });
    return writeReply(exchange.response, troubleReply(503, { reason: 'store_unavailable', receipt }));
  }
  if (!isRecorded) return writeReply(exchange.response, replyLost(claim));
  await runSettled(exchange, payment, claim, receipt);
}

async function runSettled(
  exchange: Exchange,
  payment: PaymentInRequest,
  claim: Claim,
  receipt: SettleResponse,
): Promise<void> {
  if (exchange.response.closed) return record(exchange, claim, claim.unrun());
  const { maxStoredBytes, storedForMs, now } = exchange.seller.options;
  const maxCopyBytes = canComeBack(payment) ? maxStoredBytes : 0;
  const stream = streamPaid(exchange.response, encodePaymentResponseHeader(receipt), maxCopyBytes);
  exchange.next();
  const { isDelivered, answer } = await stream.outcome;
  const kept = answer && { ...answer, keptUntil: now() + storedForMs };
  await record(exchange, claim, isDelivered ? claim.delivered(kept) : claim.interrupted());
}
