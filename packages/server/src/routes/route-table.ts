import { X402Error } from '@avm402/core/errors';
import { SellerPrice, type SoldRoute, type SoldRoutes } from './seller-price.ts';
import { digestOf } from '../request/digest.ts';
import type { RequestFacts } from '../request/request-facts.ts';
import { checkRouteConfig } from './route-config.ts';
import { foldCase } from './path-matcher.ts';
import { pathOfTarget, pathReadings } from './path-readings.ts';
import { routeError } from './route-error.ts';
import { parseRoutePattern, type RoutePattern, shadows } from './route-pattern.ts';

export interface PricedRoute extends RoutePattern {
  readonly config: Exclude<SoldRoute, SellerPrice>;
}

/**
 * Decides which requests must pay. Fails closed: if any reading of a path leads to a priced route, it must pay; if two
 * readings lead to different routes, it is refused.
 */
export class RouteTable {
  readonly #routes: readonly PricedRoute[];

  /** @throws X402Error `invalid_route`, `duplicate_route`, `shadowed_route` */
  constructor(routes: SoldRoutes) {
    this.#routes = entries(routes).map(([key, config]) => pricedRoute(key, config));
    for (const [index, route] of this.#routes.entries()) {
      for (const earlier of this.#routes.slice(0, index)) refuseHidden(earlier, route);
    }
  }

  get routes(): readonly PricedRoute[] {
    return this.#routes;
  }

  /**
   * The route that a request must pay for, if any.
   * @throws X402Error `ambiguous_path`
   */
  match({ method, path, mountedPath, isMountOpen, target, routedPaths = [] }: RequestFacts): PricedRoute | undefined {
    const verb = method.toUpperCase() === 'HEAD' ? 'GET' : method.toUpperCase();
    // Software that knows of no fragments, which no client sends, resolves dots behind a `#`.
    const asked = this.#onlyRoute(verb, path, [target, target.replaceAll('#', '%23')]);
    if (asked !== undefined) return asked;
    for (const routed of [mountedPath, ...routedPaths]) {
      const route = this.#onlyRoute(verb, routed);
      if (route !== undefined) return route;
    }
    return isMountOpen ? this.#onlyRoute(verb, path, [], 'matchesEnd') : undefined;
  }

  /** The one route to which every reading of a path, and of the paths of some request targets, leads, if any. */
  #onlyRoute(
    verb: string,
    path: string,
    targets: readonly string[] = [],
    matches: 'matches' | 'matchesEnd' = 'matches',
  ): PricedRoute | undefined {
    const paths = new Set([path, ...targets.map(pathOfTarget)]);
    const found = new Set<PricedRoute>();
    for (const reading of new Set([...paths].flatMap(pathReadings).map(foldCase))) {
      const takes = (route: PricedRoute): boolean => route.verb === '*' || route.verb === verb;
      const route = this.#routes.find((candidate) => takes(candidate) && candidate[matches](reading));
      if (route !== undefined) found.add(route);
    }
    if (found.size > 1) {
      throw new X402Error('ambiguous_path', {
        message: `the path can be read as ${[...found].map(({ key }) => `"${key}"`).join(' or ')}; send it without escapes`,
      });
    }
    return found.values().next().value;
  }
}

/** @throws X402Error `invalid_route`, `unsupported_scheme`, `unsupported_network`, `invalid_pay_to`, `invalid_price` */
export function pricedRoute(key: string, given: unknown): PricedRoute {
  const pattern = parseRoutePattern(key);
  const config = given instanceof SellerPrice ? { accepts: given } : given;
  checkRouteConfig(key, config);
  return { ...pattern, config };
}

/** @throws X402Error `duplicate_route`, `shadowed_route` if an earlier route takes all requests of this one */
function refuseHidden(earlier: PricedRoute, route: PricedRoute): void {
  if (!shadows(earlier, route)) return;
  const code = shadows(route, earlier) ? 'duplicate_route' : 'shadowed_route';
  const why = `it is never reached, because "${earlier.key}" before it takes the same requests`;
  throw routeError(code, route.key, why, { details: { hiddenBy: earlier.key } });
}

/** The table's entries. As in stock, the configuration of a single route applies to all requests. */
function entries(routes: SoldRoutes): [string, unknown][] {
  if (typeof routes !== 'object' || routes === null || Array.isArray(routes)) {
    throw new X402Error('invalid_route', {
      message: 'routes are missing: paymentMiddleware({ "GET /path": { accepts } }, server)',
    });
  }
  return isRoute(routes) ? [['*', routes]] : Object.entries(routes);
}

function isRoute(routes: SoldRoutes): routes is SoldRoute {
  return routes instanceof SellerPrice || 'accepts' in routes;
}

/**
 * Names the routes of one seller. A name is a hash of what is sold, and for what, so every process that sells the same
 * gives it the same name. Routes that read the same, as with prices from one factory, are told apart by their order.
 */
export class RouteIds {
  readonly #known = new Map<string, number>();

  /** Hex SHA-256. */
  next({ key, config }: PricedRoute): string {
    const text = JSON.stringify([key, config], withSource);
    const twins = this.#known.get(text) ?? 0;
    this.#known.set(text, twins + 1);
    return digestOf([text, String(twins)]);
  }
}

/** For `JSON.stringify`: writes a function as its source text. */
function withSource(_key: string, value: unknown): unknown {
  return typeof value === 'function' || typeof value === 'bigint' ? String(value) : value;
}
