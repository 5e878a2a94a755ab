import { X402_VERSION } from '@avm402/core/payment-required';
import { namesOffer } from '@avm402/core/accepted-offer';
import { BAZAAR, completeDiscovery } from '@avm402/core/discovery';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { networksEqual } from '@avm402/core/network';
import {
  declarePaymentIdentifier,
  PAYMENT_IDENTIFIER,
  paymentIdentifierOffered,
} from '@avm402/core/payment-identifier';
import { REQUEST_ID_HEADER } from '@avm402/core/request-id';
import type { PaymentPayload, PaymentRequired, PaymentRequirements, ResourceInfo } from '@x402/core/types';
import type { HTTPRequestContext } from '@x402/core/server';
import type { FacilitatorPool } from '../facilitator/facilitator-pool.ts';
import { PaymentQuestion } from '../facilitator/payment-question.ts';
import type { PricedRoute } from '../routes/route-table.ts';
import type { ResourceServer } from '../facilitator/stock-server.ts';
import { checkHeaderBudget } from './header-budget.ts';
import type { Offer } from './offer.ts';
import { OptionOffers } from './option-offers.ts';
import { type RouteOption, FLOW_ON_WIRE, type OptionContext, type PaymentFlow } from './route-option.ts';
import { type RouteContext, RouteOptions } from './route-options.ts';
import { routeTemplate } from './route-template.ts';

const ADDRESS_LENGTH = 58;
const LARGEST_INTEGER = (2n ** 64n - 1n).toString();
/** Characters that an ordinary URL may take in the header budget. */
const URL_LENGTH = 256;

export interface RouteOffersOptions extends RouteContext {
  readonly id: string;
  readonly isPaymentIdRequired: boolean;
}

/** A request to the route, as offers and questions about it name it. */
interface AskedRequest {
  /** The URL that the offer names as the resource. */
  readonly url: string;
  readonly context: HTTPRequestContext;
  readonly requestId: string;
}

/** The offers of one route, and the 402 that carries them. */
export class RouteOffers {
  readonly route: PricedRoute;
  /** Hex SHA-256 of what is sold, and for what; the same in each process that sells it. */
  readonly id: string;
  /** Whether a price or receiver depends on the request. */
  readonly isDynamic: boolean;
  readonly #options: RouteOptions;
  readonly #server: ResourceServer;
  readonly #pool: FacilitatorPool;
  readonly #extensions: Readonly<Record<string, unknown>>;
  readonly #schemes: OptionContext['schemes'];
  readonly #made: OptionOffers;

  /** @throws X402Error that names the route, as `RouteOptions` */
  constructor(route: PricedRoute, { id, isPaymentIdRequired, ...context }: RouteOffersOptions) {
    this.route = route;
    this.id = id;
    this.#options = new RouteOptions(route, context);
    this.isDynamic = this.#options.expected.some(
      ({ option: { price, payTo } }) => typeof price === 'function' || typeof payTo === 'function',
    );
    this.#schemes = context.schemes;
    this.#server = context.server;
    this.#pool = context.pool;
    this.#made = new OptionOffers(route.key, context);
    this.#extensions = { ...declarePaymentIdentifier({ required: isPaymentIdRequired }), ...route.config.extensions };
    checkHeaderBudget(route.key, this.#largestOffer());
  }

  /** Whether the offers are known only when the facilitator has said what it serves. */
  get waitsForFacilitator(): boolean {
    return this.#options.isWaiting;
  }

  /** The schemes that may be offered. */
  get schemes(): ReadonlySet<string> {
    return new Set(this.#options.expected.map(({ option }) => option.scheme));
  }

  /** Whether every payment is settled before its handler runs. */
  get isUpfront(): boolean {
    return this.#options.expected.every(({ flow }) => flow === 'upfront');
  }

  /**
   * When a payment of these requirements is settled, and when the answer leaves. Some flows look alike on the wire: one
   * other than the default counts only if each option that the payment may have been made for says so.
   */
  flowOf(requirements: PaymentRequirements): PaymentFlow {
    const named = Object.values(FLOW_ON_WIRE).find((name) => name === requirements.extra['paymentFlow']);
    const options = this.#options.known.filter((entry) => this.#mayBeFor(entry, requirements));
    const [flow = named ?? 'authorization', other] = new Set(options.map((entry) => entry.flow));
    return other === undefined ? flow : 'authorization';
  }

  /** Whether settlement of a payment of these requirements comes first, and can be asked for without verification. */
  settlesAlone(requirements: PaymentRequirements): boolean {
    return this.flowOf(requirements) === 'upfront' && this.#pool.settlesAlone(requirements);
  }

  /** Whether the option may have made an offer of these requirements: its terms tell, where they are fixed. */
  #mayBeFor(entry: RouteOption, requirements: PaymentRequirements): boolean {
    const { option, flow } = entry;
    const { scheme, network, extra } = requirements;
    if (FLOW_ON_WIRE[flow] !== extra['paymentFlow']) return false;
    if (option.scheme !== scheme || !networksEqual(option.network, network)) return false;
    const fixed = this.#made.fixed.get(entry)?.offer;
    return fixed === undefined || namesOffer(requirements, fixed);
  }

  /** Whether a payment without a payment id is refused, because the option or the route's own declaration says so. */
  get isPaymentIdRequired(): boolean {
    return paymentIdentifierOffered({ ...this.#extensions }) === 'required';
  }

  /** Decimal places of the asset that an offer of this route asks for, if its scheme knows them. */
  decimals({ asset, network, extra }: PaymentRequirements): number | undefined {
    if (typeof extra['decimals'] === 'number') return extra['decimals'];
    return this.#options.expected
      .map(({ scheme }) => scheme.getAssetDecimals?.(asset, network))
      .find((known) => known !== undefined);
  }

  /**
   * The offers for a request, as they are now.
   * @throws X402Error `facilitator_unreachable`, and `invalid_route` for anything wrong with a price or receiver, which
   * is the seller's mistake, whoever asks. Errors of a price function are passed on.
   */
  async current(context: HTTPRequestContext): Promise<readonly Offer[]> {
    try {
      const options = await this.#options.current();
      return await Promise.all(options.map((entry) => this.#made.offer(entry, context)));
    } catch (error) {
      if (!isX402Error(error) || error.retryable) throw error;
      throw new X402Error('invalid_route', { message: error.message, details: error.details, cause: error });
    }
  }

  /** Builds every offer with fixed terms, so that mistakes are known before the first request. */
  async check(): Promise<void> {
    for (const entry of await this.#options.current()) await this.#made.check(entry);
  }

  /** The offers as a 402 carries them. `error` is the reason why the request was not served. */
  async paymentRequired(
    offers: readonly Offer[],
    { error, url, context }: { readonly error: string; readonly url: string; readonly context: HTTPRequestContext },
  ): Promise<PaymentRequired> {
    const accepts = offers.map(({ requirements }) => requirements);
    const resource = this.#resource(url);
    const extensions = this.#completedExtensions(context);
    const declared = this.#server.getExtensions().some(({ key }) => key in extensions && key !== BAZAAR);
    if (!declared) return { x402Version: X402_VERSION, error, resource, accepts, extensions };
    const enriched = this.#server.enrichExtensions(extensions, context);
    return this.#server.createPaymentRequiredResponse(accepts, resource, error, enriched, { request: context });
  }

  /**
   * The question for the facilitator: the payment, with the resource and extensions that the seller declared. What the
   * payer says about those is left out because facilitators list it, and the payment id because it is the buyer's
   * secret. `accepted` is the offer as the payment names it, if that is not `requirements`.
   */
  questionAbout(
    { url, context, requestId }: AskedRequest,
    { x402Version, payload }: PaymentPayload,
    requirements: PaymentRequirements,
    accepted = requirements,
  ): PaymentQuestion {
    const { [PAYMENT_IDENTIFIER]: _secret, ...extensions } = this.#completedExtensions(context);
    const shown = { x402Version, resource: this.#resource(url), accepted, payload, extensions };
    return new PaymentQuestion(shown, requirements, { [REQUEST_ID_HEADER]: requestId });
  }

  /** An offer as large as this route's can get, built without asking anybody. */
  #largestOffer(): PaymentRequired {
    const accepts = this.#options.expected.map(({ option: { scheme, network, extra, maxTimeoutSeconds = 0 } }) => ({
      scheme,
      network,
      asset: LARGEST_INTEGER,
      amount: LARGEST_INTEGER,
      payTo: 'A'.repeat(ADDRESS_LENGTH),
      maxTimeoutSeconds,
      extra: { feePayer: 'A'.repeat(ADDRESS_LENGTH), ...this.#largestTerms(scheme), ...extra },
    }));
    const resource = this.#resource('x'.repeat(URL_LENGTH));
    return { x402Version: X402_VERSION, error: 'x', resource, accepts, extensions: { ...this.#extensions } };
  }

  #largestTerms(scheme: string): object {
    const { maxTerms } = this.#schemes.get(scheme)?.offers ?? {};
    return maxTerms === undefined ? {} : { terms: 'x'.repeat(maxTerms) };
  }

  /** What is sold, under the URL that the offer names. */
  #resource(url: string): ResourceInfo {
    const { resource = url, description = '', mimeType = '', serviceName, tags, iconUrl } = this.route.config;
    return {
      url: resource,
      description,
      mimeType,
      ...(serviceName !== undefined && { serviceName }),
      ...(tags !== undefined && { tags }),
      ...(iconUrl !== undefined && { iconUrl }),
    };
  }

  /** The declared extensions, completed with what only the request tells. */
  #completedExtensions(context: HTTPRequestContext): Record<string, unknown> {
    const declared = this.#extensions[BAZAAR];
    if (declared === undefined) return { ...this.#extensions };
    const method = context.method === 'HEAD' ? 'GET' : context.method;
    const completed = completeDiscovery(declared, { method, ...routeTemplate(this.route, context.path) });
    return { ...this.#extensions, [BAZAAR]: completed };
  }
}
