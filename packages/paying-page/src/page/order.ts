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
  /** Its place in the page's list. */
  readonly index: number;
  readonly network: PageNetwork;
}

/** What the seller's answer tells the script. */
export interface PageFacts {
  /** Path of the page's files. */
  readonly folder: string;
  readonly settings: PageSettings;
  readonly offers: readonly PageOffer[];
}

/** The facts in the page, which the seller's own server has put there. */
export function readFacts(): PageFacts {
  return JSON.parse(document.querySelector('#avm402')?.textContent ?? '') as PageFacts;
}

/** The offers on networks whose algod the page knows. */
export function ordersOf({ offers, settings }: PageFacts): readonly Order[] {
  return offers.flatMap((offer, index) => {
    const network = Object.entries(settings.networks).find(([id]) => isSpelling(offer.requirements.network, id))?.[1];
    return network ? [{ offer, index, network }] : [];
  });
}

/** Whether a network id is a spelling of a canonical one. */
function isSpelling(id: string, canonical: string): boolean {
  return id.replaceAll('+', '-').replaceAll('/', '_').startsWith(canonical);
}

export function isByChannel({ requirements }: PageOffer): boolean {
  return requirements.scheme === 'batch-settlement';
}

/** The price in words. */
export function priceOf({ amount, currency }: PageOffer): string {
  return `${amount} ${currency}`;
}
