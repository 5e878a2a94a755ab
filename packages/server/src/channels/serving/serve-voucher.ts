import { X402Error } from '@avm402/core/errors';
import { guardPayment } from '../../exchange/payment-guard.ts';
import { type ChannelExchange, refuseBy } from './channel-exchange.ts';
import type { ChannelPayment } from './channel-payment.ts';
import type { LiveChannel } from '../record/live-channel.ts';
import { answerReturning } from './returning-request.ts';
import { runAdmitted } from './run-admitted.ts';

/** Serves a request by its voucher. `transaction` is the TxID of the deposit that came with it. */
export async function serveVoucher(
  exchange: ChannelExchange,
  payment: ChannelPayment,
  transaction?: string,
): Promise<void> {
  const live = await exchange.channels.book.find(payment.channelId);
  if (live === undefined) throw new X402Error('invalid_batch_settlement_avm_channel_not_found');
  if (live.hasCome(payment.amount)) return answerReturning(exchange, payment, live);
  await guardPayment(exchange.seller.options.beforePayment, {
    ...payment,
    txId: payment.id,
    context: exchange.context,
  });
  return admitAndRun(exchange, payment, live, transaction);
}

/** Admits a request, and runs its handler. */
export async function admitAndRun(
  exchange: ChannelExchange,
  payment: ChannelPayment,
  live: LiveChannel,
  transaction?: string,
): Promise<void> {
  const { seller, channels, responder } = exchange;
  const { amount, buyer, payer, requirements, channel } = payment;
  if (responder.isClosed) return;
  if (channels.rounds.isExpiring(live.row)) return refuseBy(exchange, live, 'channel_expiring');
  const other = buyer && live.amountOf(buyer.paymentId);
  if (other !== undefined && other !== amount) throw new X402Error('payment_id_conflict');
  const leave = seller.payers.enter(payer, seller.options.maxPaymentsPerPayer);
  try {
    const { signature } = channel.voucher;
    const maximum = BigInt(requirements.amount);
    const admitted = live.admit({ amount, signature, maximum, ...(buyer && { buyer }) });
    if (typeof admitted === 'string') return await refuseBy(exchange, live, admitted);
    await runAdmitted(exchange, { payment, live, admitted, ...(transaction !== undefined && { transaction }) });
  } finally {
    leave();
  }
}
