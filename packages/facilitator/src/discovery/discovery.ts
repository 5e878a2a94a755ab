import { BAZAAR } from '@avm402/core/discovery';
import { DAY_MS } from '@avm402/core/durations';
import type { Caller } from '../callers/callers.ts';
import { failClosed } from '../store-calls.ts';
import { sleep } from '../sleep.ts';
import type { FacilitatorRequest } from '../facilitator-request.ts';
import { type Log, silentLog } from '../log/log.ts';
import type { Catalogue, CatalogueEntry, CataloguePage, CatalogueQuery } from './catalogue.ts';
import { type Listing, listingOf } from './listing.ts';
import type { NotListed } from './not-listed.ts';
import { isOfResource, parseWebUrl } from './web-url.ts';
import { RecentListings } from './recent-listings.ts';

/** The sellers whose resources are listed: only those that the operator knows, or anyone, with a mark. */
export type ListedSellers = 'listed' | 'anyone';

export interface DiscoveryOptions {
  readonly catalogue: Catalogue;
  /** Default: `anyone` on development networks, elsewhere `listed`. */
  readonly sellers?: ListedSellers;
  /** Whether the operator knows the paid seller, by name or by the key with which the payment was settled. */
  readonly isListed: (payTo: string, caller: Caller | undefined) => boolean;
  /** Whether the network is a development network, where private URLs are listed as well. */
  readonly isDevelopment: (network: string) => boolean;
  /** Default: silent. */
  readonly log?: Log;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

/** The result of a listing, as the header `EXTENSION-RESPONSES` reports it; `processing`: it is not known yet. */
export type ListingResponse =
  | { readonly status: 'success' | 'processing' }
  | { readonly status: 'rejected'; readonly rejectedReason: NotListed };

/** Why a resource is or is not in the catalogue. */
export type Explanation =
  | { readonly listed: true; readonly entries: readonly CatalogueEntry[] }
  | { readonly listed: false; readonly reason: NotListed };

const LISTED_MS = 30 * DAY_MS;
const BOUNDS = { ofSeller: 200, unlisted: 1_000 };
/** How long the answer of a settlement waits for its listing. */
const PATIENCE_MS = 100;
/** Most listings that wait for a slow catalogue; each is some kilobytes. */
const MAX_WAITING = 1_000;
/** Most requests that are kept until their payment is settled: others that sell the same are listed as well. */
const MAX_UNSETTLED = 100;

/**
 * The catalogue of resources for which payments were settled here. Nothing that it says is fetched or followed. Goes to
 * `createFacilitatorApp`.
 *
 * @example
 * ```ts
 * import { createFacilitatorApp, Discovery, type Facilitator, createSqliteSettlementStore } from '@avm402/facilitator';
 *
 * declare const facilitator: Facilitator;
 * const store = createSqliteSettlementStore({ path: 'settlements.sqlite' });
 * const discovery = new Discovery({
 *   catalogue: store.catalogue,
 *   isListed: (payTo) => facilitator.networks.some((network) => facilitator.sponsors(network, payTo)),
 *   isDevelopment: (network) => facilitator.isDevelopment(network),
 * });
 * const app = createFacilitatorApp(facilitator, { discovery });
 * ```
 */
export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #catalogue: Catalogue;
  readonly #now: () => number;
  readonly #recent: RecentListings;
  /** The listings that wait or are written, one after the other: a slow catalogue takes one connection of its store. */
  #writing: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #unsettled = 0;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
    this.#catalogue = failClosed(options.catalogue);
    this.#now = options.now ?? Date.now;
    this.#recent = new RecentListings(this.#now);
  }

  /**
   * Lists the resource of a settled payment, if its offer declares one. The catalogue holds back no settlement: if it
   * fails, this returns `undefined`, as for a payment that asks for no listing; if it is slow, `processing`.
   */
  async settled(request: FacilitatorRequest, caller: Caller | undefined): Promise<ListingResponse | undefined> {
    const enough = new AbortController();
    const late = sleep(PATIENCE_MS, enough.signal).then(() => ({ status: 'processing' }) as const);
    return Promise.race([this.#settled(request, caller), late]).finally(() => enough.abort());
  }

  /** Lists likewise for a caller that was answered before the outcome; `isSettled` waits for that. Never throws. */
  async settledLater(
    request: FacilitatorRequest,
    caller: Caller | undefined,
    isSettled: () => Promise<boolean>,
  ): Promise<void> {
    if (request.paymentPayload.extensions?.[BAZAAR] === undefined || this.#unsettled >= MAX_UNSETTLED) return;
    this.#unsettled += 1;
    if (await isSettled().catch(() => false)) await this.settled(request, caller);
    this.#unsettled -= 1;
  }

  async #settled(request: FacilitatorRequest, caller: Caller | undefined): Promise<ListingResponse | undefined> {
    const { isDevelopment, log = silentLog } = this.#options;
    try {
      const development = isDevelopment(request.paymentRequirements.network);
      const outcome = listingOf(request, { privateUrls: development });
      if (outcome === undefined) return undefined;
      if ('notListed' in outcome) return this.#refused(outcome.resource, outcome.notListed);
      return await this.#list(outcome.listing, { caller, development });
    } catch (error) {
      log.warn({ err: error }, 'a resource could not be listed');
      return undefined;
    }
  }

  /**
   * A page of what is listed.
   * @throws X402Error `store_unavailable`
   */
  find(query: Omit<CatalogueQuery, 'since'>): Promise<CataloguePage> {
    return this.#catalogue.find({ ...query, since: this.#since });
  }

  /**
   * The entries of a URL's resource, or the reason why there are none.
   * @throws X402Error `store_unavailable`
   */
  async why(text: string): Promise<Explanation> {
    const url = parseWebUrl(text);
    if (url === undefined) return { listed: false, reason: 'url_malformed' };
    const isAskedAbout = (resource: string): boolean => isOfResource(url, resource);
    const ofOrigin = await this.#catalogue.ofOrigin(url.origin);
    const known = ofOrigin.filter(({ resource }) => isAskedAbout(resource));
    const entries = known.filter(({ updatedAt }) => updatedAt >= this.#since);
    if (entries.length > 0) return { listed: true, entries };
    const reason = this.#recent.refusalOf(isAskedAbout) ?? (known.length > 0 ? 'expired' : 'no_settled_payment');
    return { listed: false, reason };
  }

  get #since(): number {
    return this.#now() - LISTED_MS;
  }

  async #list(
    listing: Listing,
    { caller, development }: { readonly caller: Caller | undefined; readonly development: boolean },
  ): Promise<ListingResponse> {
    const { isListed, sellers: chosen } = this.#options;
    const sellers = chosen ?? (development ? 'anyone' : 'listed');
    const listed = isListed(listing.payTo, caller);
    if (!listed && sellers === 'listed') return this.#refused(listing.resource, 'seller_unlisted');
    const entry = { ...listing, listed, updatedAt: this.#now() };
    const refusal = this.#recent.has(entry) ? undefined : await this.#inTurn(entry);
    return refusal === undefined ? { status: 'success' } : this.#refused(listing.resource, refusal);
  }

  async #inTurn(entry: CatalogueEntry): Promise<NotListed | undefined> {
    if (this.#waiting >= MAX_WAITING) throw new Error('the catalogue is too slow');
    this.#waiting += 1;
    const written = this.#writing.then(() => this.#write(entry));
    this.#writing = written.catch(() => {}).finally(() => (this.#waiting -= 1));
    return written;
  }

  async #write(entry: CatalogueEntry): Promise<NotListed | undefined> {
    // The same may have waited before it.
    if (this.#recent.has(entry)) return undefined;
    const refusal = await this.#catalogue.put(entry, { since: this.#since, bounds: BOUNDS });
    if (refusal === undefined) this.#recent.add(entry);
    return refusal;
  }

  #refused(resource: string | undefined, reason: NotListed): ListingResponse {
    if (resource !== undefined) this.#recent.refused(resource, reason);
    return { status: 'rejected', rejectedReason: reason };
  }
}
