import { encodePaymentResponseHeader, PAYMENT_RESPONSE_HEADER } from '@avm402/core/headers';
import type { ChannelExchange } from './channel-exchange.ts';
import type { CloseOrder } from './channel-payment.ts';
import { channelReceipt } from './channel-receipt.ts';

/**
 * Closes a channel for its payer, who has signed for it. No handler runs. Answers with the claim's receipt, or with 503
 * as long as the claim is not confirmed; then it is tried again without the payer.
 */
export async function closeForPayer(
  { channels, responder }: ChannelExchange,
  { channelId, requirements }: CloseOrder,
): Promise<void> {
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
