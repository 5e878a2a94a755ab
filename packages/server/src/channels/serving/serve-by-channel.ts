import { X402Error } from '@avm402/core/errors';
import { encodePaymentResponseHeader, PAYMENT_RESPONSE_HEADER } from '@avm402/core/headers';
import type { PaymentPayload } from '@x402/core/types';
import type { ChannelExchange } from './channel-exchange.ts';
import { channelMessage, type CloseOrder } from './channel-payment.ts';
import { channelReceipt } from './channel-receipt.ts';
import { jsonReply } from '../../response/reply.ts';
import { serveDeposit } from './serve-deposit.ts';
import { serveVoucher } from './serve-voucher.ts';

/**
 * The life of a request that a channel pays for: check the voucher, settle the deposit that comes with it, admit the
 * request, run the handler, record its charge, answer. Only a deposit and a close ask anybody outside of this process.
 */
export async function serveByChannel(exchange: ChannelExchange, payload: PaymentPayload): Promise<void> {
  const { channels, trace } = exchange;
  const message = await trace.check('terms', () => channelMessage(exchange, channels.configs, payload));
  trace.note({ offer: message.requirements, payer: message.payer });
  if (message.kind === 'close') return closeForPayer(exchange, message);
  const { channel } = message;
  if (channel.type === 'deposit') return serveDeposit(exchange, message, channel);
  return serveVoucher(exchange, message);
}

/**
 * Closes a channel for its payer, who has signed for it. No handler runs. Answers with the claim's receipt, or with 503
 * as long as the claim is not confirmed; then it is tried again without the payer.
 * @throws X402Error `invalid_batch_settlement_avm_channel_expiring` if it is too late for a claim
 */
async function closeForPayer(
  { channels, responder }: ChannelExchange,
  { channelId, requirements }: CloseOrder,
): Promise<void> {
  const closed = await channels.closer.close(channelId, 'payer');
  if (closed.state === 'lost') throw new X402Error('invalid_batch_settlement_avm_channel_expiring');
  const receipt = channelReceipt(closed, { requirements, cost: 0n, transaction: closed.closedBy ?? '' });
  const told = { closed: channelId, transaction: closed.closedBy };
  responder.send(jsonReply(200, told, { [PAYMENT_RESPONSE_HEADER]: encodePaymentResponseHeader(receipt) }));
}
