import { encodePaymentResponseHeader } from '@avm402/core/headers';
import { isX402Error, X402Error } from '@avm402/core/errors';
import type { SettleResponse } from '@avm402/core/settle-response';
import { errorReply, troubleReply } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { PresentedPayment } from './presented-payment.ts';
import type { Claim } from '../redemption/claim.ts';
import { canTellBuyer } from '../redemption/redemption.ts';
import { storedResponse } from '../run/handler-end.ts';
import { answerUncharged, handlerEnd, type HandlerEnd } from '../run/handler-end.ts';
import type { HeldAnswer } from '../response/held-answer.ts';
import { record, replyLost, replyUnrecorded, replyUnsettled, settleClaim } from './settle-claim.ts';

/** Runs the handler, holds what it answers, settles, and only then lets the answer go. A failed handler costs nothing. */
export async function runThenSettle(exchange: Exchange, payment: PresentedPayment, claim: Claim): Promise<void> {
  const { responder, seller } = exchange;
  const room = seller.heldBytes.share(claim.redemption.payer);
  try {
    await runHeld(exchange, payment, claim, responder.hold({ maxBytes: seller.options.maxHeldBytes, room }));
  } finally {
    // What was released is held by the connection until its client has read it.
    if (responder.isClosed) room.free();
    else responder.onClose(() => room.free());
  }
}

async function runHeld(exchange: Exchange, payment: PresentedPayment, claim: Claim, held: HeldAnswer): Promise<void> {
  const { requirements } = claim.redemption;
  const ended = await exchange.trace.span('x402.handler', {}, () => {
    exchange.responder.run();
    return handlerEnd(exchange, held, { requirements, isAwaited: canTellBuyer(claim.redemption) });
  });
  const isLost = exchange.responder.isClosed && !canTellBuyer(claim.redemption);
  if (ended.kind !== 'ended' || isLost) return giveBack(exchange, claim, held, ended);
  try {
    await settleHeld(exchange, payment, claim, held);
  } catch (error) {
    claim.abandon();
    exchange.report({ type: 'failed', txId: claim.redemption.txId, error });
    held.replace(errorReply(isX402Error(error) ? error : new X402Error('unexpected_settle_error', { cause: error })));
  }
}

/** Nothing was charged: the payment can be used again, and the answer says what happened. */
async function giveBack(exchange: Exchange, claim: Claim, held: HeldAnswer, ended: HandlerEnd): Promise<void> {
  const { txId, payer } = claim.redemption;
  await record(exchange, claim, claim.released());
  exchange.report({ type: 'released', txId, payer, code: ended.kind });
  answerUncharged(exchange, held, ended, txId);
}

async function settleHeld(
  exchange: Exchange,
  payment: PresentedPayment,
  claim: Claim,
  held: HeldAnswer,
): Promise<void> {
  // Before settlement is asked for: if this process dies then, the buyer still gets it.
  const kept = canTellBuyer(claim.redemption) ? storedResponse(exchange, held) : undefined;
  if (!(await claim.sending(kept))) return held.replace(replyLost(claim));
  const outcome = await settleClaim(exchange, payment, claim);
  if (outcome.kind !== 'settled') return held.replace(await replyUnsettled(exchange, claim, outcome));
  await releasePaid(exchange, claim, held, outcome.receipt);
}

/**
 * Lets the answer go. One that is not kept could be made anew for its buyer: it leaves only once it is on record that
 * it does. A claim that was lost lets nothing go, for whoever has it now answers.
 */
async function releasePaid(exchange: Exchange, claim: Claim, held: HeldAnswer, receipt: SettleResponse): Promise<void> {
  const { redemption } = claim;
  const mayBeMadeAnew = redemption.response === undefined && canTellBuyer(redemption);
  const recorded = await record(exchange, claim, mayBeMadeAnew ? claim.paid(receipt) : claim.settled(receipt));
  if (recorded === 'lost') return held.replace(replyLost(claim));
  if (recorded === 'failed' && mayBeMadeAnew) return held.replace(replyUnrecorded(receipt));
  claim.lost.addEventListener('abort', () => exchange.responder.destroy(), { once: true });
  try {
    held.release(encodePaymentResponseHeader(receipt));
  } catch (error) {
    // Whatever stands around the response may throw as its head is written: it was paid for all the same.
    exchange.report({ type: 'failed', txId: redemption.txId, error });
    held.replace(troubleReply(500, { reason: 'response_failed', receipt }));
    if (mayBeMadeAnew) await record(exchange, claim, claim.interrupted());
    return;
  }
  if (mayBeMadeAnew) await watchDelivery(exchange, claim);
}

async function watchDelivery(exchange: Exchange, claim: Claim): Promise<void> {
  const isDelivered = await exchange.responder.delivered();
  await record(exchange, claim, isDelivered ? claim.delivered() : claim.interrupted());
}
