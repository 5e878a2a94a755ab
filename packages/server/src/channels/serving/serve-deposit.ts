import type { ParsedDeposit } from '@avm402/avm/batch-settlement';
import { admit, type CheckedDeposit, checkDeposit, openCredit } from '@avm402/avm/batch-settlement/server/record';
import { errorReply, type Refusal, refuse, replyTo, troubleReply } from '../../exchange/answers.ts';
import { storing } from '../../stores/storing.ts';
import type { Reply } from '../../response/reply.ts';
import { settleInTurn } from '../../exchange/in-turn.ts';
import { type ChannelExchange, refusedBy } from './channel-exchange.ts';
import type { ChannelPayment } from './channel-payment.ts';
import type { DepositOutcome } from '../deposits/deposits.ts';
import { admitAndRun, answerReturning, guardRequest, serveVoucher } from './serve-voucher.ts';

const REASON = 'invalid_batch_settlement_avm_';

/** Settles the deposit that comes with a request, then serves the request by its voucher. */
export async function serveDeposit(
  exchange: ChannelExchange,
  payment: ChannelPayment,
  payload: ParsedDeposit,
): Promise<void> {
  const { channels } = exchange;
  const deposit = checkDeposit(payload, payment.requirements);
  const { txId } = deposit;
  if (await storing(() => channels.store.hasDeposit(txId))) return serveVoucher(exchange, payment, txId);
  const refusal = await refusalOf(exchange, payment, deposit);
  if (refusal) return refuse(exchange, refusal);
  await guardRequest(exchange, payment);
  const settle = (): Promise<DepositOutcome> =>
    settleInTurn(exchange, () => channels.deposits.settle(exchange, payment, deposit));
  const outcome = await (deposit.kind === 'open'
    ? channels.openings.settle(exchange.request, payment.channelId, settle)
    : settle());
  if (outcome.kind !== 'counted') {
    return exchange.responder.send(await replyUnsettled(exchange, payment, outcome));
  }
  const { live } = outcome;
  // The same request may have come twice while its deposit was being settled.
  return live.hasReceived(payment.amount)
    ? answerReturning(exchange, payment, live)
    : admitAndRun(exchange, payment, live, txId);
}

/** Why a request would be refused with its deposit, which is not settled then; undefined if it would be served. */
async function refusalOf(
  { channels }: ChannelExchange,
  { channelId, amount, requirements }: ChannelPayment,
  deposit: CheckedDeposit,
): Promise<Refusal | undefined> {
  const live = await channels.book.find(channelId);
  if (live === undefined && deposit.kind === 'top-up') return { reason: `${REASON}channel_not_found` };
  if (live !== undefined && live.row.state !== 'open') return refusedBy(live, 'channel_closed');
  if (live !== undefined && channels.rounds.isExpiring(live.row)) return refusedBy(live, 'channel_expiring');
  const credit = live?.credit ?? openCredit(0n);
  const maximum = BigInt(requirements.amount);
  const admitted = admit({ ...credit, balance: credit.balance + deposit.amount }, { amount, maximum });
  if (typeof admitted !== 'string') return undefined;
  return live === undefined ? { reason: `${REASON}${admitted}` } : refusedBy(live, admitted);
}

/** The same header can be presented again, because it asks for the same settlement. */
async function replyUnsettled(
  exchange: ChannelExchange,
  { payer, channelId }: ChannelPayment,
  outcome: Exclude<DepositOutcome, { kind: 'counted' }>,
): Promise<Reply> {
  if (outcome.kind === 'unsent') return errorReply(outcome.error);
  const { receipt } = outcome;
  if (outcome.kind === 'unknown') {
    exchange.report({ type: 'pending', txId: receipt.transaction, payer, channelId, code: 'settlement_pending' });
    return troubleReply(503, { reason: 'settlement_pending', receipt });
  }
  const { errorReason: reason = 'unexpected_settle_error', errorMessage: message } = receipt;
  exchange.report({ type: 'released', txId: receipt.transaction, payer, channelId, code: reason });
  return replyTo(exchange, { reason, receipt, ...(message !== undefined && { message }) });
}
