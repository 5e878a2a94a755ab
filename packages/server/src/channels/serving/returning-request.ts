import { encodePaymentResponseHeader } from '@avm402/core/headers';
import { refuse } from '../../exchange/answers.ts';
import { storing } from '../../redemption/redemption-store.ts';
import { type ChannelExchange, refusedBy } from './channel-exchange.ts';
import { type ChannelPayment, isSameBuyer } from './channel-payment.ts';
import { channelReceipt } from './channel-receipt.ts';
import type { LiveChannel } from '../record/live-channel.ts';

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
