import { encodePaymentResponseHeader } from '@avm402/core/headers';
import type { Exchange } from '../exchange/exchange.ts';
import type { PresentedPayment } from './presented-payment.ts';
import type { Claim } from '../redemption/claim.ts';
import { runSettled, serveSettled } from './upfront.ts';
import { record, replyLost, replyUnsettled, settleClaim } from './settle-claim.ts';

/** Finds out the outcome of a settlement that was interrupted, and serves the buyer who came back for it. */
export async function resume(exchange: Exchange, payment: PresentedPayment, claim: Claim): Promise<void> {
  const outcome = await settleClaim(exchange, payment, claim);
  if (outcome.kind !== 'settled') {
    return exchange.responder.send(await replyUnsettled(exchange, claim, outcome));
  }
  const { receipt } = outcome;
  const { response, txId, payer } = claim.redemption;
  if (response === undefined) return serveSettled(exchange, claim, receipt);
  const recorded = await record(exchange, claim, () => claim.settled(receipt));
  if (recorded === 'lost') return exchange.responder.send(replyLost(claim));
  exchange.report({ type: 'replayed', txId, payer });
  exchange.responder.sendAgain(response, encodePaymentResponseHeader(receipt));
}

/** Runs the handler again for a buyer who has paid and got nothing, or not everything. */
export async function rerun(exchange: Exchange, claim: Claim): Promise<void> {
  const { receipt } = claim.redemption;
  if (receipt === undefined) return exchange.responder.send(replyLost(claim));
  return runSettled(exchange, claim, receipt);
}
