import {
  type ChannelPayload,
  checkVoucher,
  type ClaimPayload,
  parseChannelPayload,
  type Voucher,
} from '@avm402/avm/batch-settlement';
import { X402Error } from '@avm402/core/errors';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Exchange } from '../exchange.ts';
import { matchPayment } from '../match-payment.ts';
import { honouredOffers } from '../offers/offers-for-request.ts';
import { hashedPaymentId } from '../presented-payment.ts';
import { fingerprint } from '../request/fingerprint.ts';
import type { RequestBuyer } from './channel.ts';
import type { CheckedConfigs } from './checked-configs.ts';

/** What a client may send to a server, with a voucher in it. */
type ClientPayload = Exclude<ChannelPayload, ClaimPayload> & { readonly voucher: Voucher };

/** A payment by channel that fits its offer, with a voucher of its payer. What the channel is worth is not known yet. */
export interface ChannelPayment {
  readonly payload: PaymentPayload;
  readonly requirements: PaymentRequirements;
  readonly channel: ClientPayload;
  readonly channelId: string;
  /** The voucher's amount: the request's id in its channel. */
  readonly amount: bigint;
  /** What reports name the payment by. */
  readonly id: string;
  readonly payer: string;
  readonly buyer?: RequestBuyer;
}

/**
 * Checks a payment by channel as far as it can be checked without its record (rules 1 to 4).
 * @throws X402Error `no_matching_offer`, `payment_id_required`, `invalid_payment_identifier`, or a wire reason
 * (`invalid_batch_settlement_avm_*`)
 */
export async function channelPayment(
  exchange: Exchange,
  configs: CheckedConfigs,
  payload: PaymentPayload,
): Promise<ChannelPayment> {
  const requirements = matchPayment(await honouredOffers(exchange), payload);
  if (requirements === undefined) throw new X402Error('no_matching_offer');
  const buyer = await buyerOf(exchange, payload);
  const { config, channelId } = configs.read(payload.payload['channelConfig'], requirements);
  const channel = clientPayload(parseChannelPayload(payload.payload, () => config));
  checkVoucher(config, channel.voucher, channelId);
  const { maxClaimableAmount: amount } = channel.voucher;
  const names = { channelId, amount, id: `${channelId}/${amount}`, payer: config.payer };
  return { payload, requirements, channel, ...names, ...(buyer && { buyer }) };
}

/** Servers take no claims: those are for the facilitator. */
function clientPayload(channel: ChannelPayload): ClientPayload {
  const { voucher } = channel;
  if (channel.type !== 'claim' && voucher !== undefined) return { ...channel, voucher };
  throw new X402Error('invalid_batch_settlement_avm_payload', {
    message: 'a server takes a deposit, a voucher, or a refund with a voucher over what was charged',
  });
}

async function buyerOf({ request, offers }: Exchange, payload: PaymentPayload): Promise<RequestBuyer | undefined> {
  const paymentId = hashedPaymentId(offers, payload);
  if (paymentId === undefined) return undefined;
  const asked = await fingerprint(request);
  return asked === undefined ? undefined : { paymentId, fingerprint: asked, route: offers.id };
}

/** Whether two requests come from one buyer, and ask for the same. */
export function isSameBuyer(one: RequestBuyer | undefined, other: RequestBuyer | undefined): boolean {
  return (
    one !== undefined &&
    one.paymentId === other?.paymentId &&
    one.fingerprint === other.fingerprint &&
    one.route === other.route
  );
}
