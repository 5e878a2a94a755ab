import { encodePaymentResponseHeader } from '@avm402/core/headers';
import type { SettleResponse } from '@avm402/core/settle-response';
import { refuse } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { ClaimOutcome } from '../redemption/claims.ts';
import { canTellBuyer, type Redemption, transactionOf } from '../redemption/redemption.ts';
import { pendingReceipt } from '../facilitator/settle.ts';

const LOOK_UP_TIMEOUT_MS = 5_000;

type Used = Extract<ClaimOutcome, { decision: 'replay' | 'duplicate' | 'pending' }>;

/** Answers for a payment that another request has used or is using. Its handler does not run. */
export async function answerSettled(exchange: Exchange, { decision, redemption }: Used): Promise<void> {
  if (decision === 'replay' && redemption.response && redemption.receipt) {
    exchange.report({ type: 'replayed', txId: redemption.txId, payer: redemption.payer });
    return exchange.responder.sendAgain(redemption.response, encodePaymentResponseHeader(redemption.receipt));
  }
  if (decision === 'pending') {
    const receipt = await lookUp(exchange, redemption);
    if (receipt === undefined) {
      return refuse(exchange, {
        reason: 'settlement_pending',
        receipt: pendingReceipt({ ...redemption, transaction: transactionOf(redemption) }),
      });
    }
    // Only the claim's key can tell whose a confirmed payment is, so the row is left to the buyer, who asks with that
    // key.
    if (!receipt.success || !canTellBuyer(redemption)) await exchange.seller.claims.resolve(redemption, receipt);
    return refuse(exchange, { reason: 'duplicate_payment', receipt });
  }
  const { receipt } = redemption;
  return refuse(exchange, { reason: 'duplicate_payment', ...(receipt !== undefined && { receipt }) });
}

/** Asks the facilitator for the outcome of a settlement that nobody works on any more. */
async function lookUp({ seller }: Exchange, redemption: Redemption): Promise<SettleResponse | undefined> {
  const { payer, requirements, state } = redemption;
  const transaction = transactionOf(redemption);
  // A request at work answers for its payment; its row must not be changed behind its back.
  if (state !== 'sending' || seller.claims.isAtWork(redemption) || transaction === undefined) return undefined;
  const { network } = requirements;
  const status = await seller.pool.settlement(transaction, network, LOOK_UP_TIMEOUT_MS).catch(() => undefined);
  const settled = settlementState(status, transaction);
  const parties = { payer, transaction, network };
  if (settled === 'confirmed') return { success: true, ...parties };
  if (settled === 'expired') return { success: false, errorReason: 'settlement_expired', ...parties };
  return undefined;
}

/** The state in an answer of `GET /settlements/{txid}`, if it is about this transaction. */
function settlementState(status: unknown, txId: string): unknown {
  if (typeof status !== 'object' || status === null) return undefined;
  return Reflect.get(status, 'transaction') === txId ? Reflect.get(status, 'state') : undefined;
}
