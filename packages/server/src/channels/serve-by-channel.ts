import { X402Error } from '@avm402/core/errors';
import type { PaymentPayload } from '@x402/core/types';
import type { Exchange } from '../exchange.ts';
import { channelMessage } from './channel-payment.ts';
import { closeForPayer } from './close-for-payer.ts';
import { serveDeposit } from './serve-deposit.ts';
import { serveVoucher } from './serve-voucher.ts';

/**
 * The life of a request that a channel pays for: check the voucher, settle the deposit that comes with it, admit the request,
 * run the handler, have its charge on record, answer. Nothing but a deposit and a close asks anybody outside of this process.
 */
export async function serveByChannel(exchange: Exchange, payload: PaymentPayload): Promise<void> {
  const { seller, trace } = exchange;
  const { channels } = seller;
  if (channels === undefined) throw new X402Error('no_matching_offer');
  const message = await trace.check('terms', () => channelMessage(exchange, channels.configs, payload));
  trace.note({ offer: message.requirements, payer: message.payer });
  if (message.kind === 'close') return closeForPayer({ ...exchange, channels }, message);
  const { channel } = message;
  if (channel.type === 'deposit') return serveDeposit({ ...exchange, channels }, message, channel);
  return serveVoucher({ ...exchange, channels }, message);
}
