import type { HTTPRequestContext } from '@x402/core/server';
import type { NetworkSupport } from '../facilitator/facilitator-pool.ts';
import { buildOffer, type Offer, type ResolvedTerms } from './offer.ts';
import { type CheckedOption, inRoute } from './payment-options.ts';
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
  readonly fixed = new WeakMap<CheckedOption, FixedOffer>();

  /** @param key the route's, which errors name */
  constructor(key: string, context: Pick<RouteContext, 'pool' | 'schemes'>) {
    this.#key = key;
    this.#context = context;
  }

  /** The offer of an option for a request. Errors of a price function are passed on. */
  async offer(checked: CheckedOption, context: HTTPRequestContext): Promise<Offer> {
    const { price, payTo } = checked.option;
    const support = await this.#support(checked);
    if (typeof price !== 'function' && typeof payTo !== 'function') {
      const known = this.fixed.get(checked);
      if (known?.kind === support.kind) return known.offer;
      const offer = await this.#build(checked, { price, payTo }, support);
      this.fixed.set(checked, { kind: support.kind, offer });
      return offer;
    }
    const terms = {
      price: typeof price === 'function' ? await price(context) : price,
      payTo: typeof payTo === 'function' ? await payTo(context) : payTo,
    };
    return this.#build(checked, terms, support);
  }

  /** Tries to make the offer of an option, as far as its terms are fixed. */
  async check(checked: CheckedOption): Promise<void> {
    const { price, payTo } = checked.option;
    const support = await this.#support(checked);
    if (typeof price === 'function' || typeof payTo === 'function') return;
    await this.#build(checked, { price, payTo }, support);
  }

  async #support({ option }: CheckedOption): Promise<NetworkSupport> {
    try {
      return await this.#context.pool.support(option);
    } catch (error) {
      throw inRoute(error, this.#key);
    }
  }

  async #build(checked: CheckedOption, terms: ResolvedTerms, support: NetworkSupport): Promise<Offer> {
    const { option } = checked;
    try {
      const more = await this.#context.schemes.get(option.scheme)?.offers.terms?.();
      const complete = { ...checked, option: { ...option, extra: { ...option.extra, ...more } } };
      return await buildOffer(complete, terms, support);
    } catch (error) {
      throw inRoute(error, this.#key);
    }
  }
}
