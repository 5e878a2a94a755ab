import { channelIn, chargeIn, type SignedRequest, type VoucherEvent } from '@avm402/avm/batch-settlement/client';
import { X402Error } from '@avm402/core/errors';
import type { PaymentRequired } from '@avm402/core/payment-required';
import type { SettleResponse } from '@avm402/core/settle-response';
import { isStream, parseReceipt } from '../http/receipt.ts';
import { type Answered, isDelivered } from '../http/send-until-answered.ts';
import type { ChosenOffer } from '../offers/choose-offer.ts';

const REASON = 'invalid_batch_settlement_avm_';

/** Whether an answer refuses the voucher: then nothing was charged. */
export function isRefusal({ response, said }: Answered): boolean {
  return response.status === 402 && said?.success !== true;
}

/**
 * The event that an answer means for its voucher. A request whose answer is a stream is under way until the stream has
 * ended.
 */
export function eventOf(answer: Answered): VoucherEvent {
  const { response, said } = answer;
  if (said?.success !== true) return { event: isRefusal(answer) ? 'refused' : 'unknown' };
  return { event: 'charged', cost: chargeIn(said), goesOn: isDelivered(response, true) && isStream(response) };
}

/** The error for a receipt that is not believed. */
export function chargeAboveMaximum({ maximum }: SignedRequest, said: SettleResponse | undefined): X402Error {
  const message = `the receipt says ${said && chargeIn(said)}, the offer ${maximum} at most`;
  return new X402Error('charge_above_maximum', { message });
}

/** Whether a 402 still makes the offer that was paid; its `extra` may differ. */
export function stillOffers({ accepts }: PaymentRequired, { requirements }: ChosenOffer): boolean {
  const fields = ['scheme', 'network', 'asset', 'amount', 'payTo'] as const;
  return accepts.some((one) => fields.every((field) => one[field] === requirements[field]));
}

/** The reason of a refusal, without its scheme's name. */
export function reasonOf({ error }: PaymentRequired, said: SettleResponse | undefined): string {
  const reason = said?.errorReason ?? error ?? 'no reason';
  return reason.startsWith(REASON) ? reason.slice(REASON.length) : reason;
}

/** The receipt of a request that was paid through this channel; undefined for a success that names another channel. */
export function channelReceipt(channelId: string, header: string | null): SettleResponse | undefined {
  const receipt = parseReceipt(header);
  return !receipt?.success || channelIn(receipt) === channelId ? receipt : undefined;
}
