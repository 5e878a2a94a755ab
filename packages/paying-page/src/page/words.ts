import { formatMoney, USD_DECIMALS } from '@avm402/core/price';
import { depositOf, isByChannel, type Order, priceOf } from './order.ts';
import type { Step } from './progress.ts';

export function stepWords({ network, offer }: Order): Readonly<Record<Step, string>> {
  return {
    connect: 'Connect your wallet',
    ask: 'Ask the seller for its price',
    sign: isByChannel(offer) ? 'Sign the deposit in your wallet' : 'Sign the payment in your wallet',
    settle: `Settle on ${network.name}`,
    open: 'Open what you paid for',
  };
}

/** What the person does: what is named leaves the account. */
export function payWords({ offer }: Order): string {
  return isByChannel(offer) ? `Deposit ${depositWords(offer)}` : `Pay ${priceOf(offer)}`;
}

/** What becomes of a deposit; undefined where there is none. */
export function termsWords({ offer }: Order): string | undefined {
  if (!isByChannel(offer)) return undefined;
  const cost = `This request costs up to ${priceOf(offer)} of the deposit; later ones need no signature.`;
  const rest = 'What you don’t spend comes back when the channel is closed.';
  return `${cost} ${rest} If a channel is open already, it pays, and nothing is deposited.`;
}

export function choiceWords(order: Order): string {
  const { offer, network } = order;
  return isByChannel(offer)
    ? `Open a channel: sign a deposit of ${depositWords(offer)}, then each request costs up to ${priceOf(offer)} and no signature`
    : `${payWords(order)} on ${network.name} once`;
}

export function paidWords({ offer, network }: Order, txId: string | undefined, charged: string | undefined): string {
  if (!isByChannel(offer)) return `Paid ${priceOf(offer)} on ${network.name}, transaction ${txId ?? ''}.`;
  const isKnown = charged !== undefined && /^\d{1,20}$/.test(charged);
  const cost = isKnown ? `${formatMoney(BigInt(charged), USD_DECIMALS)} ${offer.currency}` : `up to ${priceOf(offer)}`;
  const opened = txId === undefined ? '' : ` The deposit is transaction ${txId}.`;
  return `Paid ${cost} through your channel.${opened} What you don’t spend comes back when it is closed.`;
}

function depositWords(offer: Order['offer']): string {
  return `${depositOf(offer)} ${offer.currency}`;
}
