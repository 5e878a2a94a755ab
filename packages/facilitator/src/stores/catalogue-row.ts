import type { CatalogueEntry, CatalogueQuery } from '../discovery/catalogue.ts';

/** A row of the catalogue as a database driver returns it. */
export interface CatalogueRow {
  /** The whole entry as JSON, written by this program. */
  readonly entry: string;
}

export function entryOfRow({ entry }: CatalogueRow): CatalogueEntry {
  // Written by `catalogueColumns`.
  return JSON.parse(entry) as CatalogueEntry;
}

/** The columns of an entry. Queries search for parts in `words` and `offers`. */
export function catalogueColumns(entry: CatalogueEntry) {
  return {
    resource: entry.resource,
    pay_to: entry.payTo,
    origin: new URL(entry.resource).origin,
    type: entry.type,
    listed: entry.listed ? 1 : 0,
    updated_at: entry.updatedAt,
    words: wordsOf(entry),
    offers: offersOf(entry),
    entry: JSON.stringify(entry),
  };
}

function wordsOf({ resource, about: { description = '', serviceName = '', tags = [] } }: CatalogueEntry): string {
  return [resource, description, serviceName, ...tags].join('\n').toLowerCase();
}

function offersOf({ accepts }: CatalogueEntry): string {
  return accepts.map(({ scheme, network }) => `|${scheme}|${network}|${scheme} ${network}|`).join('');
}

/** The part of `offers` that a query searches for, if any. */
export function offerPart({ scheme, network }: CatalogueQuery): string | undefined {
  const parts = [scheme, network].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : `|${parts.join(' ')}|`;
}
