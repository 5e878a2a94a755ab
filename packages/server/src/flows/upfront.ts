import type { SettleResponse } from '@avm402/core/settle-response';
import { replyTo } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { PresentedPayment } from './presented-payment.ts';
import type { Claim } from '../redemption/claim.ts';
import type { Reply } from '../response/reply.ts';
import { serveSettled } from './serve-settled.ts';
import { record, replyLost, replyUnsettled, settleClaim } from './settle-claim.ts';

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
  await record(exchange, claim, claim.unsent());
  const { txId, payer } = claim.redemption;
  exchange.report({ type: 'released', txId, payer, code: reason });
  return replyTo(exchange, { reason, ...(message !== undefined && { message }) });
}
