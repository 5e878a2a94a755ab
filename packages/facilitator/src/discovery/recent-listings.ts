import { createHash } from 'node:crypto';
import { BoundedMap } from '@avm402/core/bounded-map';
import type { CatalogueEntry } from './catalogue.ts';
import type { NotListed } from './not-listed.ts';

/** How many are remembered. */
const CAPACITY = 1_000;
/** How often an unchanged entry is written again. */
const SAME_MS = 60_000;

/** The resources that this process listed or refused recently, so that one that sells often is rarely written. */
export class RecentListings {
  readonly #now: () => number;
  readonly #written = new BoundedMap<string, { readonly at: number; readonly digest: string }>(CAPACITY);
  readonly #refusals = new BoundedMap<string, NotListed>(CAPACITY);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether this exact entry was written a moment ago, by a clock that was not set back since. */
  has(entry: CatalogueEntry): boolean {
    const known = this.#written.get(keyOf(entry));
    return known?.digest === digestOf(entry) && Math.abs(this.#now() - known.at) < SAME_MS;
  }

  add(entry: CatalogueEntry): void {
    this.#written.set(keyOf(entry), { at: this.#now(), digest: digestOf(entry) });
    this.#refusals.delete(entry.resource);
  }

  refused(resource: string, reason: NotListed): void {
    this.#refusals.set(resource, reason);
  }

  /** The latest reason why the resource asked about was refused. */
  refusalOf(isAskedAbout: (resource: string) => boolean): NotListed | undefined {
    return [...this.#refusals].findLast(([resource]) => isAskedAbout(resource))?.[1];
  }
}

function keyOf({ resource, payTo, accepts }: CatalogueEntry): string {
  return JSON.stringify([resource, payTo, ...accepts.map(({ scheme, network, asset }) => [scheme, network, asset])]);
}

function digestOf(entry: CatalogueEntry): string {
  const saying = JSON.stringify({ ...entry, updatedAt: 0 });
  return createHash('sha256').update(saying).digest('base64');
}
