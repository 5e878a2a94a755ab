import { createHash } from 'node:crypto';
import type { CatalogueEntry } from './catalogue.ts';
import type { NotListed } from './not-listed.ts';

/** How many are remembered; the one that was learned first goes first. */
const CAPACITY = 1_000;
/** An entry that says the same again is written as often as this. */
const SAME_MS = 60_000;

/** What this process listed a moment ago, so that a resource that sells often is seldom written, and what it refused. */
export class RecentListings {
  readonly #now: () => number;
  readonly #written = new Map<string, { readonly at: number; readonly digest: string }>();
  readonly #refusals = new Map<string, NotListed>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether just this was written a moment ago. */
  has(entry: CatalogueEntry): boolean {
    const known = this.#written.get(keyOf(entry));
    return known !== undefined && known.digest === digestOf(entry) && this.#now() - known.at < SAME_MS;
  }

  add(entry: CatalogueEntry): void {
    remember(this.#written, keyOf(entry), { at: this.#now(), digest: digestOf(entry) });
    this.#refusals.delete(entry.resource);
  }

  refused(resource: string, reason: NotListed): void {
    remember(this.#refusals, resource, reason);
  }

  /** Why the resource that it is asked about was refused last. */
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

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > CAPACITY && oldest !== undefined) map.delete(oldest);
}
