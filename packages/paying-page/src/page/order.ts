import { formatMoney, USD_DECIMALS } from '@avm402/core/price';
import type { PageNetwork, PageSettings } from '../page-facts.ts';

/** An offer as the page shows it. */
export interface PageOffer {
  readonly requirements: {
    readonly scheme: string;
    readonly network: string;
    readonly asset: string;
    /** Atomic units. */
    readonly amount: string;
    readonly payTo: string;
    readonly extra: Readonly<Record<string, unknown>>;
  };
  /** For example `TestNet`. */
  readonly network: string;
  /** For example `$0.01`. */
  readonly amount: string;
  /** For example `USDC`. */
  readonly currency: string;
}

/** An offer that the page can pay. */
export interface Order {
  readonly offer: PageOffer;
  readonly network: PageNetwork;
}

/** The facts that the seller's answer passes to the script. */
export interface PageFacts {
  /** Path of the page's files. */
  readonly folder: string;
  readonly settings: PageSettings;
  readonly offers: readonly PageOffer[];
}

/** Reads the facts that the seller's server has put into the page. */
export function readFacts(): PageFacts {
  return JSON.parse(document.querySelector('#avm402')?.textContent ?? '') as PageFacts;
}

/** The offers that the page can pay: on networks whose algod it knows, and by channel only in dollars. */
export function ordersOf({ offers, settings }: PageFacts): readonly Order[] {
  return offers.flatMap((offer) => {
    const network = Object.entries(settings.networks).find(([id]) => isSpelling(offer.requirements.network, id))?.[1];
    // No wallet signs a program, which the scheme `upto` needs.
    const canPay = offer.requirements.scheme === 'exact' || (isByChannel(offer) && isInDollars(offer));
    return network && canPay ? [{ offer, network }] : [];
  });
}

/** Whether a network id is a spelling of a canonical one. */
function isSpelling(id: string, canonical: string): boolean {
  return id.replaceAll('+', '-').replaceAll('/', '_').startsWith(canonical);
}

export function isByChannel({ requirements }: PageOffer): boolean {
  return requirements.scheme === 'batch-settlement';
}

/** The price as text. */
export function priceOf({ amount, currency }: PageOffer): string {
  return `${amount} ${currency}`;
}

export function isInDollars({ currency }: PageOffer): boolean {
  return currency === 'USDC';
}

const DOLLAR = 10n ** BigInt(USD_DECIMALS);
const MOST_REQUESTS = 100n;

/**
 * The opening deposit of a channel for an offer in dollars: a hundred requests or a dollar, but at least one request
 * and the seller's minimum.
 */
export function depositOf({ requirements: { amount, extra } }: PageOffer): string {
  const price = BigInt(amount);
  const wanted = price * MOST_REQUESTS < DOLLAR ? price * MOST_REQUESTS : DOLLAR;
  const deposit = [wanted, price, leastDeposit(extra)].reduce((most, one) => (one > most ? one : most));
  return formatMoney(deposit, USD_DECIMALS);
}

function leastDeposit({ minDeposit }: PageOffer['requirements']['extra']): bigint {
  return typeof minDeposit === 'string' && /^\d{1,20}$/.test(minDeposit) ? BigInt(minDeposit) : 0n;
}
