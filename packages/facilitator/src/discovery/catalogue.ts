import type { Network } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import type { NotListed } from './not-listed.ts';

/** A resource sold at a URL, as the seller described it when it was paid. All text is the seller's, and unchecked. */
export interface CatalogueEntry {
  /** Origin and path, or origin and route template; for an MCP tool, with the tool's name as the fragment. */
  readonly resource: string;
  /** The address that was paid: the entry's owner. Resource and owner together are the entry's key. */
  readonly payTo: string;
  readonly type: 'http' | 'mcp';
  /** Whether the operator knows the seller. */
  readonly listed: boolean;
  /** When the last payment for it was settled, milliseconds since 1970. */
  readonly updatedAt: number;
  readonly about: ResourceDescription;
  /** The latest offer paid, one for each scheme, network and asset. */
  readonly accepts: readonly PaymentRequirements[];
  /** The extension `bazaar`: how to call the resource, and what it returns. */
  readonly bazaar: Readonly<Record<string, unknown>>;
}

export interface ResourceDescription {
  readonly description?: string;
  readonly mimeType?: string;
  readonly serviceName?: string;
  readonly tags?: readonly string[];
  readonly iconUrl?: string;
}

/** Selects the entries that match all of these. */
export interface CatalogueQuery {
  readonly type?: CatalogueEntry['type'] | undefined;
  readonly payTo?: string | undefined;
  readonly scheme?: string | undefined;
  /** CAIP-2, short form. */
  readonly network?: Network | undefined;
  /** In lower case; each must occur in the entry's URL or description. */
  readonly words?: readonly string[] | undefined;
  /** Only entries with a payment settled at this time or later, milliseconds since 1970. */
  readonly since: number;
  readonly limit: number;
  readonly offset: number;
}

export interface CataloguePage {
  readonly entries: readonly CatalogueEntry[];
  /** The number of entries on all pages. */
  readonly total: number;
}

/** The most entries that the catalogue holds. */
interface CatalogueBounds {
  /** Entries of one receiver. */
  readonly ofSeller: number;
  /** Entries of all sellers together whom the operator doesn't know. */
  readonly unlisted: number;
}

/** The resources for which payments were settled. Every method is atomic; one that can't do its work throws. */
export interface Catalogue {
  /**
   * Writes the entry and keeps the other offers of the entry that it replaces. An entry of a listed seller is not
   * replaced by one of an unlisted seller. Before that, entries whose last payment is older than `since` are forgotten.
   * Returns the reason if the entry was not written.
   */
  put(
    entry: CatalogueEntry,
    options: { readonly since: number; readonly bounds: CatalogueBounds },
  ): Promise<NotListed | undefined>;
  /** Ordered with listed sellers first, then by resource and receiver. */
  find(query: CatalogueQuery): Promise<CataloguePage>;
  /** The entries of an origin, of any age. */
  ofOrigin(origin: string): Promise<readonly CatalogueEntry[]>;
}

/** Most offers in one entry. */
const MAX_OFFERS = 8;

/** The new entry, with the offers of the known one that it does not replace; the latest come first. */
export function merged(known: CatalogueEntry | undefined, entry: CatalogueEntry): CatalogueEntry {
  const replaced = new Set(entry.accepts.map(offerKey));
  const kept = known?.accepts.filter((offer) => !replaced.has(offerKey(offer))) ?? [];
  return { ...entry, accepts: [...entry.accepts, ...kept].slice(0, MAX_OFFERS) };
}

function offerKey({ scheme, network, asset }: PaymentRequirements): string {
  return [scheme, network, asset].join(' ');
}
