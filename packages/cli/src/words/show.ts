import {
  type ChannelView,
  type ChosenOffer,
  isStream,
  type Quote,
  reportOf,
  type SentPayment,
  settlementOf,
} from '@avm402/client';
import { amountInWords, UPTO } from '@avm402/client/diagnosis';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { withSeparators } from '@avm402/core/price';
import type { SettleResponse } from '@avm402/core/settle-response';
import { excerpt } from './printable.ts';

/** An offer for a person. */
export function offerLines({ price, requirements, required, deposit }: ChosenOffer): string[] {
  const { asset, network, payTo, scheme } = requirements;
  const { description } = required.resource;
  return [
    `offer       ${scheme === UPTO ? 'at most ' : ''}${withSeparators(price)} (asset ${asset})${description ? `: ${excerpt(description)}` : ''}`,
    `            to ${payTo}`,
    `            on ${network}`,
    ...(deposit
      ? [`deposit     ${withSeparators(deposit.price)} leaves the account now; what is not spent comes back`]
      : []),
  ];
}

/** The balance of the channel that paid, and the command that brings it back. */
export function channelLines(channel: ChannelView): string[] {
  const { id, deposited, charged } = channel;
  const [left, all] = [deposited - charged, deposited].map((amount) => inChannel(channel, amount));
  return [`channel     ${id}: ${left} of ${all} are left`, `            avm402 channels close ${id} brings them back`];
}

/** An amount of a channel's asset, for a person. */
export function inChannel({ network, config }: ChannelView, amount: bigint): string {
  return amountInWords({ network, asset: config.token.toString(), amount });
}

export function shownChannel({ id, deposited, charged }: ChannelView): Record<string, unknown> {
  return { id, deposited, charged, left: deposited - charged };
}

/** Every offer of a 402 for a person. */
export function quoteLines({ chosen, others, refused }: Quote): string[] {
  return [
    ...(chosen ? offerLines(chosen) : []),
    ...others.map(({ price, requirements }) => `or          ${withSeparators(price)} (${amountOf(requirements)})`),
    ...refused.map(({ requirements, refusal }) => `not paid    ${amountOf(requirements)}: ${refusal.reason}`),
    ...(chosen ? [] : ['no offer would be paid']),
  ];
}

function amountOf(requirements: PaymentRequirements): string {
  return `${priceInWords(requirements)} on ${requirements.network}`;
}

/** The price of any offer, even one that can't be paid, for a person. */
export function priceInWords({ amount, asset, network }: PaymentRequirements): string {
  const atomic = atomicIn(amount);
  return atomic === undefined ? `${amount} of ${asset}` : amountInWords({ network, asset, amount: atomic });
}

/** A payment for a person. */
export function paymentLines(payment: SentPayment): string[] {
  const { payer, fee, groupId, groupTxIds, txId, lastValid } = payment;
  // A group of more than two opens a channel.
  const isPair = groupTxIds.length <= 2;
  const [paid, other] = isPair
    ? ['the payment', "the facilitator's, pays the fee"]
    : ['the deposit', 'opens the channel'];
  const group = groupTxIds.map((id) => `            ${id}  ${id === txId ? paid : other}`);
  return [
    `payment     from ${payer}, fee ${fee === 0n ? 'sponsored' : `${withSeparators(String(fee))} µAlgo`}, valid until round ${lastValid}`,
    ...(groupId === undefined ? [] : [`            group ${groupId}`]),
    ...group,
  ];
}

/** The settlement of an answer, for a person. */
export function settlementLines(response: Response, payment: SentPayment | undefined): string[] {
  const settlement = settlementOf(response);
  const charged = chargedLine(response) ?? chargeLine(settlement, payment);
  if (charged !== undefined) return [charged];
  if (settlement?.success === true) return [`settlement  ${settlement.transaction} confirmed on ${settlement.network}`];
  if (!payment) return [];
  if (!settlement) return ['settlement  no receipt'];
  return [`settlement  none${settlement.errorReason === undefined ? '' : `: ${excerpt(settlement.errorReason)}`}`];
}

/** The charge to a channel. The headers of a stream give only its minimum. */
function chargedLine(response: Response): string | undefined {
  const { settlement, offer } = reportOf(response) ?? {};
  const charged = atomicIn(settlement?.extra?.['chargedAmount']);
  if (settlement?.success !== true || charged === undefined) return undefined;
  const { asset = '', amount } = offer?.requirements ?? {};
  const { network } = settlement;
  const most = isStream(response) ? atomicIn(amount) : undefined;
  const cost = [charged, ...(most === undefined ? [] : [most])]
    .map((atomic) => amountInWords({ network, asset, amount: atomic }))
    .join(' to ');
  return `settlement  ${cost} charged to the channel, on ${network}`;
}

/** What an authorization of at most a price has cost. */
function chargeLine(settlement: SettleResponse | undefined, payment: SentPayment | undefined): string | undefined {
  const amount = atomicIn(settlement?.amount ?? '0');
  if (settlement?.success !== true || payment?.lease === undefined || amount === undefined) return undefined;
  const { transaction, network } = settlement;
  const by = transaction && ` by ${transaction}`;
  return `settlement  ${amountInWords({ ...payment, amount })} charged${by}, on ${network}`;
}

/** A seller's text as atomic units, if it is a number of them. */
function atomicIn(text: unknown): bigint | undefined {
  return typeof text === 'string' && /^\d{1,20}$/.test(text) ? BigInt(text) : undefined;
}

export function shownOffer({ url, price, requirements, deposit }: ChosenOffer): Record<string, unknown> {
  return {
    url: url.href,
    price,
    ...requirements,
    ...(deposit && { deposit: { amount: deposit.amount, price: deposit.price } }),
  };
}
