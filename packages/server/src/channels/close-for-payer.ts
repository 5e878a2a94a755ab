import { encodePaymentResponseHeader, PAYMENT_RESPONSE_HEADER } from '@avm402/core/headers';
import { X402Error } from '@avm402/core/errors';
import { type ChannelExchange, refuseBy } from './channel-exchange.ts';
import type { ChannelPayment } from './channel-payment.ts';
import { channelReceipt } from './channel-receipt.ts';

/**
 * Closes a channel for its payer, who shows a voucher over exactly what was charged. No handler runs. Answers with the
 * claim's receipt; with 503 as long as it is not confirmed: then it is tried again without the payer.
 */
export async function closeForPayer(exchange: ChannelExchange, payment: ChannelPayment): Promise<void> {
  const { channels, responder } = exchange;
  const { channelId, amount, requirements } = payment;
  const live = await channels.book.find(channelId);
  if (live === undefined) throw new X402Error('invalid_batch_settlement_avm_channel_not_found');
  if (amount !== live.credit.charged) return refuseBy(exchange, live, 'cumulative_amount_mismatch');
  const closed = await channels.closer.close(channelId, 'payer');
  const receipt = channelReceipt(closed, { requirements, cost: 0n, transaction: closed.closedBy ?? '' });
  responder.send({
    status: 200,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      [PAYMENT_RESPONSE_HEADER]: encodePaymentResponseHeader(receipt),
    },
    body: JSON.stringify({ closed: channelId, transaction: closed.closedBy }),
  });
}
