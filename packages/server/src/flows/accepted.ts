import { usdcOn } from '@avm402/avm/exact/server';
import type { SettleResponse } from '@avm402/core/settle-response';
import type { PaymentRequirements } from '@x402/core/types';
import type { Exchange } from '../exchange/exchange.ts';
import { awaitedReceipt } from '../facilitator/recorded-end.ts';
import { readRound } from '../facilitator/reported-round.ts';
import type { SettleOutcome } from '../facilitator/settle.ts';
import type { Claim } from '../redemption/claim.ts';
import { canTellBuyer, type Redemption } from '../redemption/redemption.ts';
import type { Risks } from '../risk/risks.ts';
import type { Outgoing } from '../run/let-go.ts';
import { type Answered, settleHeld } from './authorization.ts';
import type { PresentedPayment } from './presented-payment.ts';
import { outgoingAfter, record, replyLost, replyUnsettled, settleClaim } from './settle-claim.ts';

/**
 * Rounds that a payment must have left: one that may expire before it finds its block waits for it. A stock client's
 * payments have ten at first.
 */
const MIN_ROUNDS_LEFT = 5n;

/**
 * Lets the answer go once a node has taken the payment into its pool, as far as the seller carries that risk. Any other
 * answer waits for its block.
 */
export async function acceptHeld(
  exchange: Exchange,
  payment: PresentedPayment,
  claim: Claim,
  answered: Answered,
): Promise<Outgoing> {
  const { risks } = exchange.seller;
  const amount = riskOf(payment, claim, answered);
  if (risks === undefined || amount === undefined) return settleHeld(exchange, payment, claim, answered);
  if (await risks.take(claim.redemption, amount)) return acceptOrWait(exchange, payment, claim, { answered, risks });
  const outgoing = await settleHeld(exchange, payment, claim, answered);
  if ('receipt' in outgoing) await risks.waited(claim.redemption, true);
  return outgoing;
}

/**
 * The amount that an early answer puts at risk, in millionths of a dollar; undefined if the answer must wait: its worth
 * is not known, its payer may lose the right to sign before the block, or it could not be given to its buyer again.
 */
function riskOf({ signedUntil }: PresentedPayment, claim: Claim, { charged, kept }: Answered): bigint | undefined {
  const { redemption, mayHaveBeenSent } = claim;
  if (signedUntil === undefined || mayHaveBeenSent) return undefined;
  if (kept === undefined && canTellBuyer(redemption)) return undefined;
  return isDollars(charged) ? BigInt(charged.amount) : undefined;
}

/** USDC has six decimals, so its atomic units are millionths of a dollar. */
function isDollars({ network, asset }: PaymentRequirements): boolean {
  return usdcOn(network)?.asset === asset;
}

async function acceptOrWait(
  exchange: Exchange,
  payment: PresentedPayment,
  claim: Claim,
  { answered: { charged, kept }, risks }: { readonly answered: Answered; readonly risks: Risks },
): Promise<Outgoing> {
  if (!(await claim.sending(kept, charged))) {
    await risks.waited(claim.redemption, false);
    return { reply: replyLost(claim) };
  }
  const outcome = await takenOrSettled(exchange, payment, claim);
  if (outcome.kind === 'accepted') return answerEarly(exchange, claim, outcome.receipt, risks);
  await risks.waited(claim.redemption, outcome.kind === 'settled');
  return outgoingAfter(exchange, claim, outcome);
}

async function takenOrSettled(exchange: Exchange, payment: PresentedPayment, claim: Claim): Promise<SettleOutcome> {
  const outcome = await settleClaim(exchange, payment, claim, { respondAsync: true });
  if (outcome.kind !== 'accepted' || hasTime(payment, outcome.receipt)) return outcome;
  return settleClaim(exchange, payment, claim);
}

/** Whether the payment has enough rounds left after that of the facilitator's node; false if that round is unknown. */
function hasTime({ signedUntil = 0n }: PresentedPayment, { extra }: SettleResponse): boolean {
  const round = readRound(extra?.['lastRound']);
  return round !== undefined && round + MIN_ROUNDS_LEFT <= signedUntil;
}

/** Lets the answer go once that is on record. The end of the payment is awaited in the background. */
async function answerEarly(exchange: Exchange, claim: Claim, receipt: SettleResponse, risks: Risks): Promise<Outgoing> {
  const recorded = await record(exchange, claim, () => claim.accepted(receipt));
  if (recorded === 'lost') return { reply: replyLost(claim) };
  if (recorded === 'failed') {
    return { reply: await replyUnsettled(exchange, claim, { kind: 'unknown', receipt }) };
  }
  const { redemption, lost } = claim;
  exchange.report({ type: 'accepted', txId: redemption.txId, payer: redemption.payer });
  void risks.follow(redemption, () => endOf(exchange, redemption));
  return { receipt, lost };
}

/** The receipt of an outcome that can't change any more. Its row stays: a node has taken the payment from us. */
async function endOf(
  exchange: Exchange,
  { txId, payer, requirements }: Redemption,
): Promise<SettleResponse | undefined> {
  const { pool, options } = exchange.seller;
  const receipt = await awaitedReceipt(
    pool,
    { transaction: txId, payer, network: requirements.network },
    { timeoutMs: options.settleTimeoutMs, now: options.monotonicNow },
  );
  if (receipt?.success) exchange.report({ type: 'settled', txId, payer });
  return receipt;
}
