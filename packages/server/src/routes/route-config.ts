import type { X402ErrorCode } from '@avm402/core/errors';
import type { PaymentOption } from '@x402/core/http';
import type { RouteConfig } from '@x402/core/server';
import { anything, type Kinds, type WrongOption, wrongOption } from '@avm402/core/option-kinds';
import { isObject } from '@avm402/core/unknown-json';
import { routeError } from './route-error.ts';
import { SellerPrice, type SoldRoute } from './seller-price.ts';

const ROUTE: Kinds<RouteConfig> = {
  accepts: anything,
  resource: anything,
  description: anything,
  mimeType: anything,
  serviceName: anything,
  tags: anything,
  iconUrl: anything,
  customPaywallHtml: anything,
  unpaidResponseBody: anything,
  settlementFailedResponseBody: anything,
  extensions: anything,
};

const OPTION: Kinds<PaymentOption> = {
  scheme: anything,
  price: anything,
  network: anything,
  payTo: anything,
  maxTimeoutSeconds: anything,
  extra: anything,
};

/** Required members of an offer, and the error if one is missing, e.g. because an environment variable is not set. */
const REQUIRED: readonly (readonly [keyof PaymentOption, X402ErrorCode])[] = [
  ['scheme', 'unsupported_scheme'],
  ['network', 'unsupported_network'],
  ['payTo', 'invalid_pay_to'],
  ['price', 'invalid_price'],
];

/**
 * Checks that a route's configuration has all required members and no unknown ones: a mistyped one would be ignored.
 * @throws X402Error `invalid_route`, `unsupported_scheme`, `unsupported_network`, `invalid_pay_to`, `invalid_price`
 */
export function checkRouteConfig(key: string, config: unknown): asserts config is Exclude<SoldRoute, SellerPrice> {
  const accepts = isObject(config) ? config['accepts'] : undefined;
  const options: readonly unknown[] = Array.isArray(accepts) ? accepts : [accepts];
  if (!isObject(config) || !options.every(isObject)) {
    throw routeError('invalid_route', key, 'accepts is missing: what to pay, and to whom');
  }
  refuseUnknown(key, wrongOption(config, ROUTE), '');
  for (const option of options) {
    if (option instanceof SellerPrice) continue;
    refuseUnknown(key, wrongOption(option, OPTION), ' in accepts');
    const missing = REQUIRED.find(([name]) => option[name] === undefined || option[name] === '');
    if (missing) throw routeError(missing[1], key, `${missing[0]} is missing in accepts`);
  }
}

function refuseUnknown(key: string, wrong: WrongOption | undefined, where: string): void {
  if (wrong) throw routeError('invalid_route', key, `${wrong.name}${where} ${wrong.why}`);
}
