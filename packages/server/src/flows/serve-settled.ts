import { encodePaymentResponseHeader } from '@avm402/core/headers';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { Exchange } from '../exchange/exchange.ts';
import type { Claim } from '../redemption/claim.ts';
import { canTellBuyer } from '../redemption/redemption.ts';
import { record, replyLost, replyUnrecorded } from './settle-claim.ts';

/**
 * Runs the handler once it is on record that the payment was settled and that its handler runs. Otherwise another
 * request with the payment would run it as well. If that can't be recorded, the buyer gets the receipt and can come
 * back.
 */
export async function serveSettled(exchange: Exchange, claim: Claim, receipt: SettleResponse): Promise<void> {
  const recorded = await record(exchange, claim, claim.paid(receipt));
  if (recorded === 'failed') return exchange.responder.send(replyUnrecorded(receipt));
  if (recorded === 'lost') return exchange.responder.send(replyLost(claim));
  await runSettled(exchange, claim, receipt);
}

/** Runs the handler of a payment that is on record as settled. Its answer streams, with the receipt. */
export async function runSettled(exchange: Exchange, claim: Claim, receipt: SettleResponse): Promise<void> {
  const { responder, seller } = exchange;
  if (responder.isClosed) return void (await record(exchange, claim, claim.unrun()));
  const { maxStoredBytes, storedForMs, now } = seller.options;
  const maxBytes = canTellBuyer(claim.redemption) ? maxStoredBytes : 0;
  const share = seller.heldBytes.share(claim.redemption.payer);
  const stream = responder.stream(encodePaymentResponseHeader(receipt), { maxBytes, share });
  claim.lost.addEventListener('abort', () => responder.destroy(), { once: true });
  const { isDelivered, answer, error } = await exchange.trace.span('x402.handler', {}, () => {
    responder.run();
    return stream.outcome;
  });
  if (error !== undefined) exchange.report({ type: 'failed', txId: claim.redemption.txId, error });
  const kept = answer && { ...answer, keptUntil: now() + storedForMs };
  share.free();
  await record(exchange, claim, isDelivered ? claim.delivered(kept) : claim.interrupted());
}
