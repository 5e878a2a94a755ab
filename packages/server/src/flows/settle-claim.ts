import type { SettleResponse } from '@avm402/core/settle-response';
import { errorReply, replyTo, troubleReply } from '../exchange/answers.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { canTellBuyer, isAuthorization, transactionOf } from '../redemption/redemption.ts';
import { authorizedBy, type PresentedPayment } from './presented-payment.ts';
import type { Claim } from '../redemption/claim.ts';
import type { Reply } from '../response/reply.ts';
import type { Outgoing } from '../run/let-go.ts';
import { pendingReceipt, settle, type SettleOptions, type SettleOutcome } from '../facilitator/settle.ts';

/** Asks for settlement of a claim that is recorded as `sending`, with the requirements on its record. */
export async function settleClaim(
  exchange: Exchange,
  payment: PresentedPayment,
  claim: Claim,
  { respondAsync = false }: Pick<SettleOptions, 'respondAsync'> = {},
): Promise<SettleOutcome> {
  const { offers, seller } = exchange;
  const { pool, options } = seller;
  const { redemption, mayHaveBeenSent } = claim;
  const transaction = transactionOf(redemption);
  const claimed = { ...redemption, transaction, isAuthorization: isAuthorization(redemption), mayHaveBeenSent };
  const { requirements } = redemption;
  const accepted = authorizedBy(payment, requirements);
  const question = offers.questionAbout(exchange, payment.payload, requirements, accepted);
  const outcome = await settle(question, claimed, {
    pool,
    trace: exchange.trace,
    respondAsync,
    now: options.monotonicNow,
    timeoutMs: options.settleTimeoutMs,
  });
  if (outcome.kind === 'settled') {
    exchange.report({ type: 'settled', txId: redemption.txId, payer: redemption.payer });
  }
  return outcome;
}

/** The answer, if settlement has paid for it, or else the reply in its place. */
export async function outgoingAfter(exchange: Exchange, claim: Claim, outcome: SettleOutcome): Promise<Outgoing> {
  if (outcome.kind !== 'settled') return { reply: await replyUnsettled(exchange, claim, outcome) };
  return recordPaid(exchange, claim, outcome.receipt);
}

/**
 * Records that the answer is paid for. An answer that is not kept could be made again for its buyer, so it leaves only
 * once it is on record that it leaves. A lost claim lets nothing go, because its new owner answers.
 */
async function recordPaid(exchange: Exchange, claim: Claim, receipt: SettleResponse): Promise<Outgoing> {
  const { redemption, lost } = claim;
  const mayBeMadeAnew = redemption.response === undefined && canTellBuyer(redemption);
  const recorded = await record(exchange, claim, () => (mayBeMadeAnew ? claim.paid(receipt) : claim.settled(receipt)));
  if (recorded === 'lost') return { reply: replyLost(claim) };
  if (recorded === 'failed' && mayBeMadeAnew) return { reply: replyUnrecorded(receipt) };
  if (!mayBeMadeAnew) return { receipt, lost };
  const left = async (isDelivered: boolean): Promise<void> => {
    await record(exchange, claim, () => (isDelivered ? claim.delivered() : claim.interrupted()));
  };
  return { receipt, lost, left };
}

/** Records that a claim was not settled, and returns the reply to its request. */
export async function replyUnsettled(
  exchange: Exchange,
  claim: Claim,
  outcome: Exclude<SettleOutcome, { kind: 'settled' }>,
): Promise<Reply> {
  if (outcome.kind === 'refused' || outcome.kind === 'declined') return replyRefused(exchange, claim, outcome.receipt);
  const { txId, payer } = claim.redemption;
  if (outcome.kind === 'unknown' || outcome.kind === 'accepted') {
    await record(exchange, claim, () => claim.unknown(outcome.receipt));
    exchange.report({ type: 'pending', txId, payer, code: 'settlement_pending' });
    return troubleReply(503, { reason: 'settlement_pending', receipt: outcome.receipt });
  }
  await record(exchange, claim, () => claim.unsent());
  const { error } = outcome;
  exchange.report({ type: 'released', txId, payer, code: error.code });
  return errorReply(error);
}

async function replyRefused(exchange: Exchange, claim: Claim, receipt: SettleResponse): Promise<Reply> {
  const { txId, payer } = claim.redemption;
  const { errorReason: code = 'invalid_exact_avm_settlement_failed', errorMessage: message } = receipt;
  await record(exchange, claim, () => claim.released(receipt));
  exchange.report({ type: 'released', txId, payer, code });
  const reason = code === 'duplicate_settlement' ? 'duplicate_payment' : code;
  return replyTo(exchange, { reason, receipt, ...(message !== undefined && { message }) });
}

/** Paid, but that can't be recorded: nothing that could be had twice may leave, so the buyer gets the receipt alone. */
export function replyUnrecorded(receipt: SettleResponse): Reply {
  return troubleReply(503, { reason: 'store_unavailable', receipt });
}

/** The claim was taken for dead in the meantime; its new owner answers for the payment. */
export function replyLost({ redemption }: Claim): Reply {
  return troubleReply(503, {
    reason: 'settlement_pending',
    receipt: pendingReceipt({ ...redemption, transaction: transactionOf(redemption) }),
  });
}

/** What became of a change: it was made, the claim belonged to another request, or the store failed. */
export type Recorded = 'recorded' | 'lost' | 'failed';

/** Records what has happened already, and returns whether that succeeded. */
export async function record(exchange: Exchange, claim: Claim, change: () => Promise<boolean>): Promise<Recorded> {
  try {
    return (await change()) ? 'recorded' : 'lost';
  } catch (error) {
    claim.abandon();
    exchange.report({ type: 'failed', txId: claim.redemption.txId, error });
    return 'failed';
  }
}
