import { X402Error } from '@avm402/core/errors';
import { encodePaymentResponseHeader } from '@avm402/core/headers';
import { refuse } from '../../exchange/answers.ts';
import { guardPayment } from '../../exchange/payment-guard.ts';
import { storing } from '../../stores/storing.ts';
import { type ChannelExchange, refusedBy } from './channel-exchange.ts';
import { type ChannelPayment, isSameBuyer } from './channel-payment.ts';
import { channelReceipt, correctionOf } from './channel-receipt.ts';
import type { LiveChannel } from '../record/live-channel.ts';
import { runAdmitted } from './run-admitted.ts';

/** Serves a request by its voucher. `transaction` is the TxID of the deposit that came with it. */
export async function serveVoucher(
  exchange: ChannelExchange,
  payment: ChannelPayment,
  transaction?: string,
): Promise<void> {
  const { amount, channel } = payment;
  const found = await channelOf(exchange, payment);
  if (found.hasReceived(amount)) return answerReturning(exchange, payment, found);
  const voucher = { amount, signature: channel.voucher.signature };
  const reason = await exchange.channels.firstVouchers.refusal(found.row, voucher);
  if (reason !== undefined) return refuse(exchange, { reason, correction: correctionOf(found) });
  await guardRequest(exchange, payment);
  // Meanwhile the same voucher may have come, its charge may be in doubt, or the channel may have been dropped from memory.
  const live = await channelOf(exchange, payment);
  return live.hasReceived(amount)
    ? answerReturning(exchange, payment, live)
    : admitAndRun(exchange, payment, live, transaction);
}

/** @throws X402Error `invalid_batch_settlement_avm_channel_not_found`, `store_unavailable` */
async function channelOf({ channels }: ChannelExchange, { channelId }: ChannelPayment): Promise<LiveChannel> {
  const live = await channels.book.find(channelId);
  if (live === undefined) throw new X402Error('invalid_batch_settlement_avm_channel_not_found');
  return live;
}

/** @throws X402Error `payment_refused` */
export async function guardRequest({ seller, context }: ChannelExchange, payment: ChannelPayment): Promise<void> {
  await guardPayment(seller.options.beforePayment, { ...payment, txId: payment.id, context });
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
  if (channels.rounds.isExpiring(live.row)) return refuse(exchange, refusedBy(live, 'channel_expiring'));
  const other = buyer && live.amountOf(buyer.paymentId);
  if (other !== undefined && other !== amount) throw new X402Error('payment_id_conflict');
  const leave = seller.payers.enter(payer, seller.options.maxPaymentsPerPayer);
  try {
    const { signature } = channel.voucher;
    const maximum = BigInt(requirements.amount);
    const admitted = live.admit({ amount, signature, maximum, ...(buyer && { buyer }) });
    if (typeof admitted === 'string') return await refuse(exchange, refusedBy(live, admitted));
    await runAdmitted(exchange, { payment, live, admitted, ...(transaction !== undefined && { transaction }) });
  } finally {
    leave();
  }
}

/**
 * Answers a voucher that came before. A buyer who comes back waits for the first answer and gets it again, if it was
 * kept. Anybody else who has the voucher, or has signed the same amount in another process, is told to sign anew.
 */
export async function answerReturning(
  exchange: ChannelExchange,
  payment: ChannelPayment,
  live: LiveChannel,
): Promise<void> {
  const { channels, responder, seller } = exchange;
  const { channelId, amount, buyer, requirements, id: txId, payer } = payment;
  const underWay = live.underWay(amount);
  if (underWay && isSameBuyer(underWay.buyer, buyer)) await underWay.ended;
  const known = buyer && (await storing(() => channels.store.request(channelId, amount)));
  if (known === undefined || !isSameBuyer(known.buyer, buyer)) return refuse(exchange, refusedBy(live, 'channel_busy'));
  const receipt = channelReceipt(live.row, { requirements, cost: known.charge });
  if (known.response === undefined || known.response.keptUntil <= seller.options.now()) {
    return refuse(exchange, { ...refusedBy(live, 'channel_busy'), receipt });
  }
  exchange.report({ type: 'replayed', txId, payer, channelId });
  responder.sendAgain(known.response, encodePaymentResponseHeader(receipt));
}
