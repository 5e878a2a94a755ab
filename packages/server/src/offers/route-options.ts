import type { FacilitatorPool } from '../facilitator/facilitator-pool.ts';
import { routeError } from '../routes/route-error.ts';
import type { PricedRoute } from '../routes/route-table.ts';
import { type Accepted, ANY_NETWORK, DEFAULT_SCHEMES, SellerPrice } from '../routes/seller-price.ts';
import { acceptsOnNetwork } from './network-terms.ts';
import { type RouteOption, checkedRouteOption, inRoute, type OptionContext, routeOption } from './route-option.ts';

export interface RouteContext extends OptionContext {
  readonly pool: FacilitatorPool;
}

/** The options of one route, before and after the facilitator has said what it serves. */
export class RouteOptions {
  /** What is known without asking anybody: of a seller's price, all options that it may become. */
  readonly expected: readonly RouteOption[];
  readonly #key: string;
  readonly #accepted: readonly Accepted[];
  readonly #context: RouteContext;
  #current: readonly RouteOption[] | undefined;

  /**
   * Checks everything that can be known without asking anybody.
   * @throws X402Error that names the route: `invalid_route`, `unsupported_scheme`, `unsupported_network`,
   * `invalid_pay_to`, `invalid_price`, `price_too_precise`, `price_not_positive`, `asset_decimals_unknown`,
   * `unsupported_asset`
   */
  constructor({ key, config: { accepts } }: Pick<PricedRoute, 'key' | 'config'>, context: RouteContext) {
    this.#key = key;
    this.#context = context;
    this.#accepted = Array.isArray(accepts) ? accepts : [accepts];
    if (this.#accepted.length === 0) throw routeError('invalid_route', key, 'accepts is empty');
    this.expected = this.#inRoute(() =>
      this.#accepted.flatMap((one) =>
        one instanceof SellerPrice ? becoming(one, context) : [checkedRouteOption(one, context)],
      ),
    );
    if (!this.#accepted.some((one) => one instanceof SellerPrice)) this.#current = this.expected;
  }

  /** The options that requests pay by, as far as they are known. */
  get known(): readonly RouteOption[] {
    return this.#current ?? [];
  }

  /** Whether the facilitator has yet to say what a seller's price becomes. */
  get isWaiting(): boolean {
    return this.#current === undefined;
  }

  /**
   * The options that requests may pay by. Once the facilitator has answered they stay, so that no answer of it changes
   * the network under a running seller.
   * @throws X402Error that names the route: `facilitator_unreachable`, `unsupported_network`, and as the constructor
   */
  async current(): Promise<readonly RouteOption[]> {
    if (this.#current) return this.#current;
    const kinds = await this.#context.pool.algorandKinds();
    this.#current ??= this.#inRoute(() =>
      this.#accepted
        .flatMap((one) => (one instanceof SellerPrice ? acceptsOnNetwork(kinds, one.terms) : [one]))
        .map((option) => checkedRouteOption(option, this.#context)),
    );
    return this.#current;
  }

  #inRoute<T>(make: () => T): T {
    try {
      return make();
    } catch (error) {
      throw inRoute(error, this.#key);
    }
  }
}

/** `exact` may be offered in two spellings of the network. */
function becoming({ terms }: SellerPrice, context: OptionContext): RouteOption[] {
  const { network = ANY_NETWORK, schemes = DEFAULT_SCHEMES, spelling: _, ...rest } = terms;
  return schemes
    .flatMap((scheme) => (scheme === 'exact' ? [scheme, scheme] : [scheme]))
    .map((scheme) => routeOption({ ...rest, scheme, network }, context));
}
