import { X402Error } from '@avm402/core/errors';
import type { PaymentPayload } from '@x402/core/types';
import type { Exchange } from '../exchange.ts';
import { channelPayment } from './channel-payment.ts';
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
  const payment = await trace.check('terms', () => channelPayment(exchange, channels.configs, payload));
  trace.note({ offer: payment.requirements, payer: payment.payer });
  const { channel } = payment;
  switch (channel.type) {
    case 'deposit':
      return serveDeposit({ ...exchange, channels }, payment, channel);
    case 'voucher':
      return serveVoucher({ ...exchange, channels }, payment);
    case 'refund':
      return closeForPayer({ ...exchange, channels }, payment);
  }
}
