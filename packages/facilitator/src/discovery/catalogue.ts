import type { Network } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { NotListed } from './not-listed.ts';

/** What is sold at a URL, as the seller said when it was paid. All text is the seller's own: nobody has checked it. */
export interface CatalogueEntry {
  /** Origin and path, or origin and route template; an MCP tool's with its name as fragment. */
  readonly resource: string;
  /** Who was paid: the entry's owner. With the resource it is the entry's key. */
  readonly payTo: string;
  readonly type: 'http' | 'mcp';
  /** Whether the operator knows the seller. */
  readonly listed: boolean;
  /** When a payment for it was settled last, milliseconds since 1970. */
  readonly updatedAt: number;
  readonly about: ResourceDescription;
  /** What was paid lately, one for each scheme, network and asset. */
  readonly accepts: readonly PaymentRequirements[];
  /** The extension `bazaar`: how it is called, and what comes back. */
  readonly bazaar: Readonly<Record<string, unknown>>;
}

export interface ResourceDescription {
  readonly description?: string;
  readonly mimeType?: string;
  readonly serviceName?: string;
  readonly tags?: readonly string[];
  readonly iconUrl?: string;
}

/** Which entries are asked for: those that have all of these. */
export interface CatalogueQuery {
  readonly type?: CatalogueEntry['type'];
  readonly payTo?: string;
  readonly scheme?: string;
  /** CAIP-2, short form. */
  readonly network?: Network;
  /** In lower case; each occurs in the entry's URL or description. */
  readonly words?: readonly string[];
  /** Settled at this time or later, milliseconds since 1970. */
  readonly since: number;
  readonly limit: number;
  readonly offset: number;
}

export interface CataloguePage {
  readonly entries: readonly CatalogueEntry[];
  /** How many there are on all pages. */
  readonly total: number;
}

/** How many entries there may be. */
export interface CatalogueBounds {
  /** Of one receiver. */
  readonly ofSeller: number;
  /** Of all sellers together that the operator doesn't know. */
  readonly unlisted: number;
}

/** The resources for which payments were settled. Every method is atomic; one that can't do its work throws. */
export interface Catalogue {
  /**
   * Writes the entry, with the offers of the one that is there, unless that is of a seller who is listed and this one is
   * not. Forgets entries whose last payment is older than `since` first. Says why it did not.
   */
  put(
    entry: CatalogueEntry,
    options: { readonly since: number; readonly bounds: CatalogueBounds },
  ): Promise<NotListed | undefined>;
  /** Listed sellers first, then by resource and receiver. */
  find(query: CatalogueQuery): Promise<CataloguePage>;
  /** The entries of an origin, however old. */
  ofOrigin(origin: string): Promise<readonly CatalogueEntry[]>;
}

/** Most offers of one entry. */
const MAX_OFFERS = 8;

/** The new entry, with those offers of the known one that it does not replace, the latest first. */
export function merged(known: CatalogueEntry | undefined, entry: CatalogueEntry): CatalogueEntry {
  const replaced = new Set(entry.accepts.map(offerKey));
  const kept = known?.accepts.filter((offer) => !replaced.has(offerKey(offer))) ?? [];
  return { ...entry, accepts: [...entry.accepts, ...kept].slice(0, MAX_OFFERS) };
}

function offerKey({ scheme, network, asset }: PaymentRequirements): string {
  return [scheme, network, asset].join(' ');
}
