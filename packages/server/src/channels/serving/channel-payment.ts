import {
  type ChannelConfig,
  channelId as idOf,
  parseChannelConfig,
  parseChannelPayload,
  type ParsedDeposit,
  type VoucherPayload,
} from '@avm402/avm/batch-settlement';
import { checkChannelConfig, checkClose, checkVoucher } from '@avm402/avm/batch-settlement/server/record';
import { BoundedMap } from '@avm402/core/bounded-map';
import { X402Error } from '@avm402/core/errors';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Exchange } from '../../exchange/exchange.ts';
import { matchedOffer } from '../../exchange/offers-for-request.ts';
import { hashedPaymentId } from '../../exchange/payment-id.ts';
import { fingerprintOf } from '../../request/fingerprint.ts';
import type { RequestBuyer } from '../record/channel.ts';

/**
 * A payment by channel that fits its offer, with a voucher of its payer. It is not known yet what the channel is worth.
 */
export interface ChannelPayment {
  readonly kind: 'payment';
  readonly payload: PaymentPayload;
  readonly requirements: PaymentRequirements;
  readonly channel: ParsedDeposit | VoucherPayload;
  readonly channelId: string;
  /** The voucher's amount: the request's id in its channel. */
  readonly amount: bigint;
  /** How reports name the payment. */
  readonly id: string;
  readonly payer: string;
  readonly buyer?: RequestBuyer;
}

/** A payer's order to close a channel early. */
export interface CloseOrder {
  readonly kind: 'close';
  readonly requirements: PaymentRequirements;
  readonly channelId: string;
  readonly payer: string;
}

/**
 * Checks what a channel's client sends, as far as that is possible without the channel's record (rules 1 to 4).
 * @throws X402Error `no_matching_offer`, `payment_id_required`, `invalid_payment_identifier`, or a wire reason
 * (`invalid_batch_settlement_avm_*`)
 */
export async function channelMessage(
  exchange: Exchange,
  configs: CheckedConfigs,
  payload: PaymentPayload,
): Promise<ChannelPayment | CloseOrder> {
  const requirements = await matchedOffer(exchange, payload);
  const { config, channelId } = configs.read(payload.payload['channelConfig'], requirements);
  const channel = parseChannelPayload(payload.payload, () => config);
  const { payer } = config;
  if (channel.type === 'refund') {
    checkClose(channel, channelId);
    return { kind: 'close', requirements, channelId, payer };
  }
  // Only a seller makes claims, to its facilitator.
  if (channel.type === 'claim') {
    throw new X402Error('invalid_batch_settlement_avm_payload', {
      message: 'a server takes a deposit, a voucher or a refund',
    });
  }
  checkVoucher(config, channel.voucher, channelId);
  const { maxClaimableAmount: amount } = channel.voucher;
  const buyer = await buyerOf(exchange, payload);
  const names = { channelId, amount, id: `${channelId}/${amount}`, payer };
  return { kind: 'payment', payload, requirements, channel, ...names, ...(buyer && { buyer }) };
}

async function buyerOf(exchange: Exchange, payload: PaymentPayload): Promise<RequestBuyer | undefined> {
  const { offers, request, responder, seller } = exchange;
  const paymentId = hashedPaymentId(offers, payload);
  if (paymentId === undefined) return undefined;
  const fingerprint = await fingerprintOf(request, responder, seller.bodies);
  return fingerprint === undefined ? undefined : { paymentId, fingerprint, route: offers.id };
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

/** Configurations that are kept. */
const MAX_KNOWN = 10_000;

/** A configuration that fits an offer, and the id of its channel. */
interface CheckedConfig {
  readonly config: ChannelConfig;
  readonly channelId: string;
}

/**
 * Reads configurations. One that came before is recognized by its text, because all requests of a channel bring the
 * same.
 */
export class CheckedConfigs {
  readonly #known = new BoundedMap<string, CheckedConfig>(MAX_KNOWN);

  /** @throws X402Error `invalid_batch_settlement_avm_channel_config`, `invalid_payment_requirements` */
  read(value: unknown, requirements: PaymentRequirements): CheckedConfig {
    const text = JSON.stringify([value, requirements]);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const config = parseChannelConfig(value);
    checkChannelConfig(config, requirements);
    const checked = { config, channelId: idOf(config) };
    this.#known.set(text, checked);
    return checked;
  }
}
