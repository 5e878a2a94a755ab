import { encodePaymentResponseHeader } from '@avm402/core/headers';
import type { SettleResponse } from '@avm402/core/settle-response';
import { replyTo } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { PresentedPayment } from './presented-payment.ts';
import type { Claim } from '../redemption/claim.ts';
import { canTellBuyer } from '../redemption/redemption.ts';
import type { Reply } from '../response/reply.ts';
import { asksForWebSocket } from '../run/held-run.ts';
import { record, replyLost, replyUnrecorded, replyUnsettled, settleClaim } from './settle-claim.ts';

/** Settles, then runs the handler. Its answer streams. A failed handler is not refunded, but can be run again. */
export async function settleThenRun(exchange: Exchange, payment: PresentedPayment, claim: Claim): Promise<void> {
  if (!(await claim.sendingUnrun())) return exchange.responder.send(replyLost(claim));
  const outcome = await settleClaim(exchange, payment, claim);
  if (outcome.kind === 'declined') {
    return exchange.responder.send(await replyDeclined(exchange, claim, outcome.receipt));
  }
  if (outcome.kind !== 'settled') {
    return exchange.responder.send(await replyUnsettled(exchange, claim, outcome));
  }
  await serveSettled(exchange, claim, outcome.receipt);
}

/** Like a refusal by verify: nothing was submitted, so nothing is remembered, and there is no receipt. */
async function replyDeclined(exchange: Exchange, claim: Claim, receipt: SettleResponse): Promise<Reply> {
  const { errorReason: reason = 'unexpected_settle_error', errorMessage: message } = receipt;
  await record(exchange, claim, () => claim.unsent());
  const { txId, payer } = claim.redemption;
  exchange.report({ type: 'released', txId, payer, code: reason });
  return replyTo(exchange, { reason, ...(message !== undefined && { message }) });
}

/**
 * Runs the handler once it is on record that the payment was settled and that its handler runs. Otherwise another
 * request with the payment would run it as well. If that can't be recorded, the buyer gets the receipt and can come
 * back.
 */
export async function serveSettled(exchange: Exchange, claim: Claim, receipt: SettleResponse): Promise<void> {
  const recorded = await record(exchange, claim, () => claim.paid(receipt));
  if (recorded === 'failed') return exchange.responder.send(replyUnrecorded(receipt));
  if (recorded === 'lost') return exchange.responder.send(replyLost(claim));
  await runSettled(exchange, claim, receipt);
}

/** Runs the handler of a payment that is on record as settled. Its answer streams, with the receipt. */
export async function runSettled(exchange: Exchange, claim: Claim, receipt: SettleResponse): Promise<void> {
  const { request, responder, seller } = exchange;
  if (responder.isClosed) return void (await record(exchange, claim, () => claim.unrun()));
  const { maxStoredBytes, storedForMs, now } = seller.options;
  const maxBytes = canTellBuyer(claim.redemption) ? maxStoredBytes : 0;
  const share = seller.heldBytes.share(claim.redemption.payer);
  claim.lost.addEventListener('abort', () => responder.destroy(), { once: true });
  const { isDelivered, answer, error } = await exchange.trace.span(
    'x402.handler',
    {},
    () => responder.runPaid(encodePaymentResponseHeader(receipt), { maxBytes, share }).outcome,
  );
  if (error !== undefined) exchange.report({ type: 'failed', txId: claim.redemption.txId, error });
  // Nothing that is kept stands for a session: its payment is used.
  const isKept = answer !== undefined && !asksForWebSocket(request);
  const kept = isKept ? { ...answer, keptUntil: now() + storedForMs } : undefined;
  share.free();
  await record(exchange, claim, () => (isDelivered ? claim.delivered(kept) : claim.interrupted()));
}
