import type { Attributes } from '@opentelemetry/api';
import type { PaymentRequirements } from './payment-requirements.ts';
import type { SettleResponse } from './settle-response.ts';
import type { SpanFacts } from './trace.ts';

/** Characters of a value: offers and paths come from strangers, so their length is limited. */
const MAX_LENGTH = 256;

const NAMES = [
  ['payer', 'x402.payer'],
  ['transaction', 'x402.transaction'],
  ['outcome', 'x402.outcome'],
  ['requestId', 'x402.request_id'],
  ['route', 'http.route'],
  ['method', 'http.request.method'],
  ['status', 'http.response.status_code'],
] as const;

/** The attributes of an OpenTelemetry span; docs/telemetry.md lists them. */
export function attributesOf({ offer, settlement, url, ...facts }: SpanFacts): Attributes {
  const attributes: Attributes = {
    ...(offer && offerAttributes(offer)),
    ...(settlement && settlementAttributes(settlement)),
    ...(url !== undefined && urlAttributes(url)),
  };
  for (const [fact, name] of NAMES) {
    const value = facts[fact];
    if (value !== undefined) attributes[name] = value;
  }
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, bounded(value)]));
}

function bounded(value: unknown): string | number {
  return typeof value === 'number' ? value : String(value).slice(0, MAX_LENGTH);
}

function offerAttributes({ scheme, network, asset, amount, payTo }: PaymentRequirements): Attributes {
  return {
    'x402.scheme': scheme,
    'x402.network': network,
    'x402.asset': asset,
    'x402.amount': amount,
    'x402.pay_to': payTo,
  };
}

function settlementAttributes({ success, errorReason, transaction, payer }: SettleResponse): Attributes {
  const outcome = success ? 'settled' : errorReason;
  return {
    ...(outcome !== undefined && { 'x402.outcome': outcome }),
    ...(transaction !== '' && { 'x402.transaction': transaction }),
    ...(payer !== undefined && { 'x402.payer': payer }),
  };
}

function urlAttributes(url: string): Attributes {
  const { host, pathname } = new URL(url);
  return { 'server.address': host, 'url.path': pathname };
}
