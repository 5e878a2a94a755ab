import { parsePayTo } from '@avm402/avm/exact/server';
import { X402Error } from '@avm402/core/errors';
import { parseAtomicAmount, parsePrice } from '@avm402/core/price';
import type { PaymentRequirements, Price, SchemeNetworkServer, SupportedKind } from '@x402/core/types';
import type { NetworkSupport } from '../facilitator/facilitator-pool.ts';
import { type RouteOption, FLOW_ON_WIRE, isQuoting, type PaymentFlow } from './route-option.ts';

/** Validity of a payment if the route does not set it, as in the stock packages. */
const DEFAULT_TIMEOUT_SECONDS = 300;

/** One entry of a 402's `accepts`, and the fee payers that it honours. */
export interface Offer {
  readonly requirements: PaymentRequirements;
  /** Fee payers that a payment may name: the offer's own, and those of replicas that chose another one. */
  readonly feePayers: readonly string[];
}

/** Price and receiver for one request: fixed, or as functions of the request returned them. */
export interface ResolvedTerms {
  readonly price: Price;
  readonly payTo: string;
}

/**
 * Builds an offer through its scheme and checks the result, because a scheme of another maker may truncate.
 * @throws X402Error `price_too_precise`, `price_not_positive`, `invalid_pay_to`, `unsupported_asset`, …
 */
export async function buildOffer(
  { option, scheme, flow }: RouteOption,
  { price, payTo }: ResolvedTerms,
  support: NetworkSupport,
): Promise<Offer> {
  const { network, maxTimeoutSeconds = DEFAULT_TIMEOUT_SECONDS, extra = {} } = option;
  const priced = isQuoting(scheme) ? scheme.quote({ price, network, extra }) : await scheme.parsePrice(price, network);
  const base: PaymentRequirements = {
    scheme: scheme.scheme,
    network,
    asset: priced.asset,
    amount: priced.amount,
    payTo,
    maxTimeoutSeconds,
    extra: { ...priced.extra, ...extra },
  };
  const completed = await scheme.enhancePaymentRequirements(base, kindFor(base, support), [...support.extensions]);
  checkTerms(completed, { price, scheme, selected: extra['asset'] });
  const feePayer = completed.extra['feePayer'];
  return {
    requirements: { ...completed, extra: { ...wireExtra(completed.extra, flow), ...selectedAsset(completed, extra) } },
    feePayers: typeof feePayer === 'string' ? [feePayer, ...support.signers] : [],
  };
}

/**
 * The facilitator's kind. The fee payer is left out if it would not pay for this offer, so buyers pay the fee
 * themselves. Schemes other than `exact` need a fee payer.
 */
function kindFor(
  { scheme, payTo, asset, amount }: PaymentRequirements,
  { kind, sponsored }: NetworkSupport,
): SupportedKind {
  if (scheme !== 'exact' || sponsored === undefined) return kind;
  const isEnough = parseAtomicAmount(amount) >= BigInt(sponsored.minAmount);
  if (isEnough && sponsored.payTo.includes(payTo) && sponsored.assets.includes(asset)) return kind;
  const { feePayer: _, ...extra } = kind.extra ?? {};
  return { ...kind, extra };
}

function checkTerms(
  { asset, amount, payTo, network, extra }: PaymentRequirements,
  { price, scheme, selected }: { price: Price; scheme: SchemeNetworkServer; selected: unknown },
): void {
  const atomic = parseAtomicAmount(amount);
  if (atomic === 0n) throw new X402Error('price_not_positive', { message: 'the scheme makes the price 0' });
  parsePayTo(payTo, extra['feePayer']);
  if (selected !== undefined && selected !== asset) {
    throw new X402Error('unsupported_asset', {
      message: 'the registered scheme ignores extra.asset; register ExactAvmServer of @avm402/avm/exact/server',
    });
  }
  const decimals = scheme.getAssetDecimals?.(asset, network);
  if (decimals === undefined || typeof price !== 'string' || isQuoting(scheme)) return;
  const amountText = price.replace(/\s+[A-Za-z]+$/, '');
  if (parsePrice(amountText, decimals) !== atomic) {
    throw new X402Error('price_too_precise', { message: `the price ${price} becomes ${amount} atomic units` });
  }
}

/** A route that selects its asset by `extra.asset` also names it there, because a catalogue may ask for it. */
function selectedAsset({ asset }: PaymentRequirements, extra: Readonly<Record<string, unknown>>): { asset?: string } {
  return extra['asset'] === undefined ? {} : { asset };
}

/** Stock's rules for the wire: leaves out its internal name for the only transfer method, and the default flow. */
function wireExtra(extra: Readonly<Record<string, unknown>>, flow: PaymentFlow): Record<string, unknown> {
  const { assetTransferMethod: method, paymentFlow: _flow, ...rest } = extra;
  const paymentFlow = FLOW_ON_WIRE[flow];
  return {
    ...rest,
    ...(method === undefined || method === 'default' ? {} : { assetTransferMethod: method }),
    ...(paymentFlow !== undefined && { paymentFlow }),
  };
}

/** A payer's standing with one scheme, as a 402 tells it in the `extra` of that scheme's offers. */
export interface OfferCorrection {
  readonly scheme: string;
  readonly extra: object;
}

export function correctedOffers(offers: readonly Offer[], correction: OfferCorrection | undefined): readonly Offer[] {
  return offers.map((offer) => {
    const { requirements } = offer;
    if (requirements.scheme !== correction?.scheme) return offer;
    return { ...offer, requirements: { ...requirements, extra: { ...requirements.extra, ...correction.extra } } };
  });
}
