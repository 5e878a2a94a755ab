import { isX402Error, X402Error } from '@avm402/core/errors';
import type { SellerContext } from './exchange/exchange.ts';
import type { RouteOffers } from './offers/route-offers.ts';
import type { RequestFacts } from './request/request-facts.ts';
import { pageFileReply } from './page/paying-page.ts';
import { jsonReply } from './response/reply.ts';
import type { Responder } from './response/responder.ts';
import { PARAMETER } from './routes/path-matcher.ts';
import { routeError } from './routes/route-error.ts';
import type { PricedRoute, RouteTable } from './routes/route-table.ts';
import { UnmatchedRoutes } from './routes/unmatched-routes.ts';
import { takePayment } from './exchange/take-payment.ts';
import { invalidOption } from './invalid-option.ts';

/** Longest description that every catalogue takes, in characters. */
const LISTED_DESCRIPTION = 500;

/** The offers that a request must pay for, if any. */
type Match = (request: RequestFacts) => RouteOffers | undefined;

/** What a seller charges for, independent of a framework: pass it to the `paymentMiddleware` of a host. */
export interface PricedRoutes {
  /** Resolves when every offer could be built from what the facilitator supports, and rejects if one could not. */
  readonly ready: Promise<void>;
}

/** The priced routes of a seller. A host passes each request through them. */
export class ServedRoutes implements PricedRoutes {
  readonly #seller: SellerContext;
  readonly #match: Match;
  readonly #offers: readonly RouteOffers[];
  #ready: Promise<void> | undefined;

  /** @throws X402Error `ambiguous_path` from `match` if a path can be read in ways that lead to different routes */
  constructor(seller: SellerContext, offers: readonly RouteOffers[], match: Match) {
    this.#seller = seller;
    this.#match = match;
    this.#offers = offers;
    for (const { route } of offers) this.#warnOfDescription(route);
  }

  /** The routes of a table. */
  static table(seller: SellerContext, table: RouteTable, offersOf: (route: PricedRoute) => RouteOffers): ServedRoutes {
    const offers = new Map(table.routes.map((route) => [route, offersOf(route)]));
    const watch = new UnmatchedRoutes(table, seller.report);
    return new ServedRoutes(seller, [...offers.values()], (request) => {
      const route = table.match(request);
      watch.see(route, request);
      return route && offers.get(route);
    });
  }

  /** The offers are checked once, when this is first read, usually by a host. */
  get ready(): Promise<void> {
    if (this.#ready) return this.#ready;
    this.#ready = this.#check();
    this.#ready.catch((error: unknown) => this.failed(error));
    return this.#ready;
  }

  async #check(): Promise<void> {
    if (this.#offers.some((offers) => offers.waitsForFacilitator)) await this.#seller.firstAnswer.kinds();
    for (const offers of this.#offers) await offers.check();
  }

  /** Runs the handler once the request has paid, or at once if its path has no price. */
  serve(request: RequestFacts, responder: Responder): void {
    const { page } = this.#seller.options;
    const file = page && pageFileReply(page, request);
    if (file) return responder.send(file);
    let offers: RouteOffers | undefined;
    try {
      offers = this.#match(request);
    } catch (error) {
      return refusePath(responder, error);
    }
    if (offers === undefined) responder.run();
    else takePayment(this.#seller, offers, request, responder);
  }

  /**
   * Requires the option on hosts that can't tell where they are reached: a `Request` names any host that its sender
   * likes.
   * @throws X402Error `invalid_option` without the option `publicUrl`
   */
  insistOnPublicUrl(): this {
    if (this.#seller.options.publicUrl !== undefined) return this;
    throw invalidOption('publicUrl', 'is required where requests come as a Request, e.g. https://api.example.com');
  }

  /**
   * Refuses parameters that share their segment with other text, on hosts whose routers take the rest of the segment for
   * a part of the name, so that more paths lead to the handler than are charged for.
   * @throws X402Error `invalid_route`
   */
  insistOnWholeSegments(): this {
    for (const { route } of this.#offers) {
      const shared = route.path
        .split('/')
        .find((segment) => segment.startsWith(':') && segment.replace(PARAMETER, '') !== '');
      if (shared === undefined) continue;
      const why = `this router takes all of ${shared} for one name; write [${shared.slice(1)}]`;
      throw routeError('invalid_route', route.key, why);
    }
    return this;
  }

  #warnOfDescription({ key, config: { description = '' } }: PricedRoute): void {
    if (description.length <= LISTED_DESCRIPTION) return;
    const code = 'description_too_long';
    const why = `its description has ${description.length} characters, catalogues take ${LISTED_DESCRIPTION}`;
    this.#seller.report({ type: 'warned', route: key, code, error: routeError(code, key, why) });
  }

  /** Reports a failure outside of any route. */
  failed(error: unknown, where = 'start'): void {
    this.#seller.report({ type: 'failed', route: where, error, ...(isX402Error(error) && { code: error.code }) });
  }
}

/** An ambiguous path is refused rather than served unpaid. */
function refusePath(responder: Responder, error: unknown): void {
  const { code, message } = isX402Error(error) ? error : new X402Error('ambiguous_path', { cause: error });
  responder.send(jsonReply(400, { error: code, message }));
}
