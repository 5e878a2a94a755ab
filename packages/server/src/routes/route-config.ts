import { X402Error, type X402ErrorCode } from '@avm402/core/errors';
import type { PaymentOption } from '@x402/core/http';
import type { RouteConfig } from '@x402/core/server';
import { unknownName } from '@avm402/core/likely-name';
import { SellerPrice, type SoldRoute } from './seller-price.ts';

const ROUTE_NAMES = {
  accepts: true,
  resource: true,
  description: true,
  mimeType: true,
  serviceName: true,
  tags: true,
  iconUrl: true,
  customPaywallHtml: true,
  unpaidResponseBody: true,
  settlementFailedResponseBody: true,
  extensions: true,
} as const satisfies Record<keyof RouteConfig, true>;

const OPTION_NAMES = {
  scheme: true,
  price: true,
  network: true,
  payTo: true,
  maxTimeoutSeconds: true,
  extra: true,
} as const satisfies Record<keyof PaymentOption, true>;

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
    throw new X402Error('invalid_route', { message: `route "${key}": accepts is missing: what to pay, and to whom` });
  }
  refuseUnknown(key, Object.keys(config), { names: Object.keys(ROUTE_NAMES), where: '' });
  for (const option of options) {
    if (option instanceof SellerPrice) continue;
    refuseUnknown(key, Object.keys(option), { names: Object.keys(OPTION_NAMES), where: ' in accepts' });
    const missing = REQUIRED.find(([name]) => option[name] === undefined || option[name] === '');
    if (missing) throw new X402Error(missing[1], { message: `route "${key}": ${missing[0]} is missing in accepts` });
  }
}

interface Known {
  readonly names: readonly string[];
  readonly where: string;
}

function refuseUnknown(key: string, given: readonly string[], { names, where }: Known): void {
  const unknown = given.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new X402Error('invalid_route', {
    message: `route "${key}": ${unknown}${where} ${unknownName(unknown, names)}`,
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
