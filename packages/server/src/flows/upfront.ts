import type { Exchange } from '../exchange.ts';
import type { PresentedPayment } from '../presented-payment.ts';
import type { Claim } from '../redemption/claim.ts';
import { writeReply } from '../response/reply.ts';
import { serveSettled } from './serve-settled.ts';
import { replyLost, replyUnsettled, settleClaim } from './settle-claim.ts';

/** Settles, then runs the handler; its answer streams. A failed handler is not refunded, but can be run again. */
export async function settleThenRun(exchange: Exchange, payment: PresentedPayment, claim: Claim): Promise<void> {
  if (!(await claim.sendingUnrun())) return writeReply(exchange.response, replyLost(claim));
  const outcome = await settleClaim(exchange, payment, claim);
  if (outcome.kind !== 'settled') {
    return writeReply(exchange.response, await replyUnsettled(exchange, claim, outcome));
  }
  await serveSettled(exchange, claim, outcome.receipt);
}
