import { parsePayTo, type PriceQuestion } from '@avm402/avm/exact/server';
import { isX402Error, X402Error } from '@avm402/core/errors';
import { isAlgorandNetwork } from '@avm402/core/network';
import type { PaymentOption } from '@x402/core/http';
import type { AssetAmount, Network, SchemeNetworkServer } from '@x402/core/types';
import type { ResourceServer } from '../facilitator/stock-server.ts';
import { routeError } from '../routes/route-error.ts';

/**
 * When settlement happens, and when the answer leaves. `authorization`: after the handler, so that a failure costs the
 * buyer nothing. `upfront`: before the handler. `accepted`: after the handler, and the answer leaves before the block.
 */
export type PaymentFlow = 'authorization' | 'upfront' | 'accepted';

/**
 * What an offer tells the buyer of its flow, in `extra.paymentFlow`: nothing of the default, as in stock, and nothing of
 * `accepted`, which to the buyer is the default with a faster answer.
 */
export const FLOW_ON_WIRE = {
  authorization: undefined,
  upfront: 'upfront',
  accepted: undefined,
} as const satisfies Readonly<Record<PaymentFlow, PaymentFlow | undefined>>;

/** One entry of a route's `accepts`, with the scheme and the flow that it is sold by. */
export interface RouteOption {
  readonly option: PaymentOption;
  readonly scheme: SchemeNetworkServer;
  readonly flow: PaymentFlow;
}

/** How a scheme is offered. */
export interface SchemeOffers {
  /** The class that is registered for it. */
  readonly server: new () => SchemeNetworkServer;
  /** Why nothing can be sold by it; absent if it can be used. */
  readonly missing?: string;
  /** Further members of each offer's `extra`. */
  readonly terms?: () => Promise<Readonly<Record<string, unknown>>>;
  /** Most characters that these terms add to an offer. */
  readonly maxTerms?: number;
}

/** What a route is sold with. */
export interface OptionContext {
  readonly server: ResourceServer;
  /** By name. */
  readonly schemes: ReadonlyMap<string, { readonly offers: SchemeOffers }>;
  /** Whether the seller says what it carries until the block. */
  readonly carriesRisk: boolean;
}

interface Quoting {
  quote(question: PriceQuestion): AssetAmount;
}

/** Whether a scheme can price synchronously and knows `extra`, as ours does; stock's can't. */
export function isQuoting(scheme: SchemeNetworkServer): scheme is SchemeNetworkServer & Quoting {
  return 'quote' in scheme && typeof scheme.quote === 'function';
}

/** The same error, with the route's name before its message. */
export function inRoute(error: unknown, key: string): unknown {
  if (!isX402Error(error)) return error;
  return routeError(error.code, key, error.message, { details: error.details, cause: error });
}

/**
 * An option of a route, with its price and receiver checked as far as they are fixed.
 * @throws X402Error `unsupported_scheme`, `unsupported_network`, `invalid_pay_to`, `invalid_price`, `price_too_precise`,
 * `price_not_positive`, `asset_decimals_unknown`, `unsupported_asset`, `invalid_route`
 */
export function checkedRouteOption(option: PaymentOption, context: OptionContext): RouteOption {
  const { network, payTo, price, extra = {} } = option;
  const known = routeOption(option, context);
  if (typeof payTo === 'string') parsePayTo(payTo);
  if (typeof price !== 'function' && isQuoting(known.scheme)) known.scheme.quote({ price, network, extra });
  return known;
}

/**
 * An option of a route. Its price and receiver are not checked here.
 * @throws X402Error `unsupported_scheme`, `unsupported_network`, `invalid_route`
 */
export function routeOption(option: PaymentOption, context: OptionContext): RouteOption {
  const { network, scheme: name, extra = {} } = option;
  if (!isAlgorandNetwork(network)) {
    throw new X402Error('unsupported_network', { message: `"${network}" is not an Algorand network (algorand:…)` });
  }
  const scheme = registeredScheme(name, network, context);
  return { option, scheme, flow: flowOf(scheme, extra, context) };
}

function registeredScheme(name: string, network: Network, { server, schemes }: OptionContext): SchemeNetworkServer {
  const offered = schemes.get(name)?.offers;
  const scheme = offered && server.getRegisteredScheme(network, name);
  if (scheme === undefined) {
    const className = offered?.server.name ?? 'ExactAvmServer';
    throw new X402Error('unsupported_scheme', {
      message: `no scheme "${name}" is registered for ${network}: server.register('algorand:*', new ${className}())`,
    });
  }
  if (offered?.missing !== undefined) throw new X402Error('unsupported_scheme', { message: offered.missing });
  return scheme;
}

function flowOf(
  scheme: SchemeNetworkServer,
  extra: Readonly<Record<string, unknown>>,
  { carriesRisk }: OptionContext,
): PaymentFlow {
  const method = extra['assetTransferMethod'] ?? scheme.defaultAssetTransferMethod;
  const flows = typeof method === 'string' ? scheme.paymentFlows[method] : undefined;
  const flow = extra['paymentFlow'] ?? flows?.default;
  if (flow === 'accepted' && scheme.scheme === 'exact') {
    if (carriesRisk) return flow;
    throw new X402Error('invalid_route', {
      message: 'extra.paymentFlow "accepted" needs the option atRisk: how much you carry until the block',
    });
  }
  if ((flow === 'authorization' || flow === 'upfront') && flows?.supported.includes(flow)) return flow;
  throw new X402Error('invalid_route', {
    message: 'extra.paymentFlow must be "authorization" (the default), "upfront", or "accepted" in the scheme exact',
  });
}
