import {
  type Catalogue,
  type CatalogueBounds,
  type CatalogueEntry,
  type CataloguePage,
  type CatalogueQuery,
  merged,
} from '../discovery/catalogue.ts';
import type { NotListed } from '../discovery/not-listed.ts';
import { catalogueColumns, offerPart } from './catalogue-row.ts';
import { compareTexts } from './compare-texts.ts';

/** A catalogue that lives and dies with the process. No method waits for anything, so each is atomic. */
export class MemoryCatalogue implements Catalogue {
  readonly #entries = new Map<string, CatalogueEntry>();

  async put(
    entry: CatalogueEntry,
    { since, bounds }: { readonly since: number; readonly bounds: CatalogueBounds },
  ): Promise<NotListed | undefined> {
    for (const [key, { updatedAt }] of this.#entries) if (updatedAt < since) this.#entries.delete(key);
    const key = JSON.stringify([entry.resource, entry.payTo]);
    const known = this.#entries.get(key);
    if (known?.listed === true && !entry.listed) return 'not_the_seller';
    if (known === undefined) {
      const all = [...this.#entries.values()];
      if (all.filter(({ payTo }) => payTo === entry.payTo).length >= bounds.ofSeller) return 'seller_has_too_many';
      if (!entry.listed && all.filter(({ listed }) => !listed).length >= bounds.unlisted) return 'catalogue_full';
    }
    this.#entries.set(key, merged(known, entry));
    return undefined;
  }

  async find(query: CatalogueQuery): Promise<CataloguePage> {
    const found = [...this.#entries.values()].filter((entry) => isAskedFor(entry, query)).toSorted(byPlace);
    return { entries: found.slice(query.offset, query.offset + query.limit), total: found.length };
  }

  async ofOrigin(origin: string): Promise<readonly CatalogueEntry[]> {
    return [...this.#entries.values()].filter((entry) => catalogueColumns(entry).origin === origin).toSorted(byPlace);
  }
}

function isAskedFor(entry: CatalogueEntry, query: CatalogueQuery): boolean {
  const { words, offers } = catalogueColumns(entry);
  return (
    entry.updatedAt >= query.since &&
    entry.type === (query.type ?? entry.type) &&
    entry.payTo === (query.payTo ?? entry.payTo) &&
    offers.includes(offerPart(query) ?? '') &&
    (query.words ?? []).every((word) => words.includes(word))
  );
}

function byPlace(a: CatalogueEntry, b: CatalogueEntry): number {
  return Number(b.listed) - Number(a.listed) || compareTexts(a.resource, b.resource) || compareTexts(a.payTo, b.payTo);
}
