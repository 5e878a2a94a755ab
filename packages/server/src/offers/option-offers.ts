import type { HTTPRequestContext } from '@x402/core/server';
import type { NetworkSupport } from '../facilitator/facilitator-pool.ts';
import { buildOffer, type Offer, type ResolvedTerms } from './offer.ts';
import { type RouteOption, inRoute } from './route-option.ts';
import type { RouteContext } from './route-options.ts';

interface FixedOffer {
  /** The facilitator's kind when the offer was made. */
  readonly kind: object;
  readonly offer: Offer;
}

/** Makes the offers of a route's options. One whose terms are the same for every request is made once. */
export class OptionOffers {
  readonly #key: string;
  readonly #context: Pick<RouteContext, 'pool' | 'schemes'>;
  /** The last offer of each option with fixed terms. */
  readonly fixed = new WeakMap<RouteOption, FixedOffer>();

  /** @param key the route's, which errors name */
  constructor(key: string, context: Pick<RouteContext, 'pool' | 'schemes'>) {
    this.#key = key;
    this.#context = context;
  }

  /** The offer of an option for a request. Errors of a price function are passed on. */
  async offer(entry: RouteOption, context: HTTPRequestContext): Promise<Offer> {
    const { price, payTo } = entry.option;
    const support = await this.#support(entry);
    if (typeof price !== 'function' && typeof payTo !== 'function') {
      const known = this.fixed.get(entry);
      if (known?.kind === support.kind) return known.offer;
      const offer = await this.#build(entry, { price, payTo }, support);
      this.fixed.set(entry, { kind: support.kind, offer });
      return offer;
    }
    const terms = {
      price: typeof price === 'function' ? await price(context) : price,
      payTo: typeof payTo === 'function' ? await payTo(context) : payTo,
    };
    return this.#build(entry, terms, support);
  }

  /** Tries to make the offer of an option, as far as its terms are fixed. */
  async check(entry: RouteOption): Promise<void> {
    const { price, payTo } = entry.option;
    const support = await this.#support(entry);
    if (typeof price === 'function' || typeof payTo === 'function') return;
    await this.#build(entry, { price, payTo }, support);
  }

  async #support({ option }: RouteOption): Promise<NetworkSupport> {
    try {
      return await this.#context.pool.support(option);
    } catch (error) {
      throw inRoute(error, this.#key);
    }
  }

  async #build(entry: RouteOption, terms: ResolvedTerms, support: NetworkSupport): Promise<Offer> {
    const { option } = entry;
    try {
      const more = await this.#context.schemes.get(option.scheme)?.offers.terms?.();
      const complete = { ...entry, option: { ...option, extra: { ...option.extra, ...more } } };
      return await buildOffer(complete, terms, support);
    } catch (error) {
      throw inRoute(error, this.#key);
    }
  }
}
