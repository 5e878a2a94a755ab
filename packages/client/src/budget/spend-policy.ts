import { isAddress, parseAddress } from '@avm402/algorand/address';
import { X402Error } from '@avm402/core/errors';
import { isLoopbackHost } from '@avm402/core/loopback';
import { isAlgorandNetwork, networkMatches, parseNetwork } from '@avm402/core/network';
import type { PaymentRequirements } from '@avm402/core/payment-requirements';
import { quoted } from '@avm402/core/quoted';
import { parseAtomicAmount, parsePrice, USD_DECIMALS } from '@avm402/core/price';
import { type AssetAmount, assetKey, costInWords, dollars, USD, usdcDecimals, type Cost } from './cost.ts';

/** Limits on how much may be spent, on what, and where. All are checked before anything is signed. */
export interface SpendOptions {
  /** The most that one payment may cost. Default `"$1"`. */
  readonly perPayment?: string;
  /** The most that one origin may get in any 24 hours. Default: no limit. */
  readonly perOrigin?: string;
  /** The most in any 60 minutes. Default: no limit. */
  readonly perHour?: string;
  /** The most in any 24 hours. Default: no limit. */
  readonly perDay?: string;
  /** The only assets that are paid with. Default: the USDC of MainNet, TestNet and the development node. */
  readonly assets?: readonly AllowedAsset[];
  /** The only networks that are paid on: ids or `algorand:*`. Default: those that have an algod. */
  readonly networks?: readonly string[];
  /** The only origins that are paid, for example `https://api.example.com`. Default: the origin that was asked. */
  readonly origins?: readonly string[];
  /** The only receivers that are paid. Default: any. */
  readonly payTo?: readonly string[];
  /** The longest `maxTimeoutSeconds` of an offer, which is how long a signed payment may stay valid. Default 3600. */
  readonly maxTimeoutSeconds?: number;
  /** Also pays other machines over plain HTTP. Default false: HTTP only on this machine. */
  readonly allowHttp?: boolean;
}

/** An asset that may be paid with. */
export type AllowedAsset =
  /** Worth one dollar a unit; its amounts count against the dollar limits. `decimals` may be left out for USDC. */
  | { readonly network: string; readonly asset: string; readonly decimals?: number }
  /** Has no known dollar price, so it has limits of its own, in atomic units. */
  | { readonly network: string; readonly asset: string; readonly limits: AtomicLimits };

export interface AtomicLimits {
  readonly perPayment: bigint;
  readonly perOrigin?: bigint;
  readonly perHour?: bigint;
  readonly perDay?: bigint;
}

/** The reason why an offer is not paid, for people. `limit`: its amount is too high. */
export interface Refusal {
  /** `node`: no algod is configured for the offer's network. */
  readonly kind: 'limit' | 'policy' | 'node';
  readonly reason: string;
}

/** The scheme of offers whose amount is a maximum. */
export const UPTO = 'upto';
/** The scheme of offers that are paid through a channel. */
export const BY_CHANNEL = 'batch-settlement';

const DEFAULT_PER_PAYMENT = '$1';
const DEFAULT_MAX_TIMEOUT_SECONDS = 3600;
const FLOWS: readonly unknown[] = [undefined, null, 'authorization', 'upfront'];

/** The spend options, read once. */
export class SpendPolicy {
  readonly #options: SpendOptions;
  readonly #schemes: readonly string[];
  readonly #dollarLimits: AtomicLimits;
  readonly #origins: ReadonlySet<string> | undefined;
  /** Decimals of dollar assets, or the limits of others. Undefined: USDC. */
  readonly #assets: ReadonlyMap<string, number | AtomicLimits> | undefined;

  /**
   * @throws X402Error `invalid_price`, `price_too_precise`, `price_not_positive`, `invalid_network`,
   * `invalid_spend_options`; AlgorandError `invalid_address`
   */
  constructor(options: SpendOptions = {}, schemes: readonly string[] = ['exact']) {
    this.#options = options;
    this.#schemes = schemes;
    this.#dollarLimits = dollarLimits(options);
    this.#origins = options.origins && new Set(options.origins.map(originOf));
    this.#assets = options.assets && new Map(options.assets.map(readAsset));
    for (const network of options.networks ?? []) requireNetwork(network);
    for (const address of options.payTo ?? []) parseAddress(address);
  }

  /** The limits of the unit that a cost is in. */
  limitsOf({ unit }: Cost): AtomicLimits {
    if (unit === USD) return this.#dollarLimits;
    const limits = this.#assets?.get(unit);
    return typeof limits === 'object' ? limits : { perPayment: 0n };
  }

  /** Whether the option `origins` names an origin. */
  namesOrigin(origin: string): boolean {
    return this.#origins?.has(origin) ?? false;
  }

  /** The reason why nothing at all is paid to the server at `url`; undefined if there is none. */
  whyNotOrigin(url: URL): Refusal | undefined {
    if (this.#origins && !this.#origins.has(url.origin))
      return policy(`${url.origin} is not among the allowed origins`);
    if (url.protocol === 'https:' || this.#options.allowHttp === true || isLoopbackHost(url.hostname)) return undefined;
    return policy(`${url.origin} is not encrypted; anyone in between could use the payment`);
  }

  /** The reason why `payer` does not pay an offer, budgets aside. */
  whyNotOffer(offer: PaymentRequirements, payer: string | undefined): Refusal | undefined {
    return (
      this.#whyNotTerms(offer) ??
      whyNotFeePayer(offer, payer) ??
      this.#whyNotReceiver(offer, payer) ??
      this.#whyNotAmount(offer)
    );
  }

  /**
   * The cost of an amount of an asset; undefined if the asset is not allowed.
   * @throws X402Error `invalid_network`
   */
  costOf({ network, asset, amount }: AssetAmount): Cost | undefined {
    const key = assetKey(network, asset);
    const rule = this.#assets ? this.#assets.get(key) : usdcDecimals(network, asset);
    if (rule === undefined) return undefined;
    return typeof rule === 'number' ? dollars(amount, rule) : { unit: key, amount };
  }

  #whyNotTerms({ scheme, network, extra, maxTimeoutSeconds }: PaymentRequirements): Refusal | undefined {
    const { networks, maxTimeoutSeconds: longest = DEFAULT_MAX_TIMEOUT_SECONDS } = this.#options;
    if (!this.#schemes.includes(scheme)) return policy(`the scheme ${scheme} is not paid`);
    if (!isAlgorandNetwork(network)) return policy(`${network} is not an Algorand network`);
    if (networks && !networks.some((allowed) => networkMatches(allowed, network))) {
      return policy(`${network} is not among the allowed networks`);
    }
    if (!FLOWS.includes(extra['paymentFlow']))
      return policy(`the payment flow ${String(extra['paymentFlow'])} is unknown`);
    if (maxTimeoutSeconds > longest) {
      return policy(`the payment would have to be valid for ${maxTimeoutSeconds} seconds, the limit is ${longest}`);
    }
    return undefined;
  }

  #whyNotReceiver({ payTo }: PaymentRequirements, payer: string | undefined): Refusal | undefined {
    if (!isAddress(payTo)) return policy('payTo is not an Algorand address');
    if (payTo === payer) return policy('the receiver would be the payer');
    const { payTo: allowed } = this.#options;
    return allowed && !allowed.includes(payTo) ? policy(`${payTo} is not among the allowed receivers`) : undefined;
  }

  #whyNotAmount(offer: PaymentRequirements): Refusal | undefined {
    const amount = atomicAmount(offer.amount);
    if (amount === undefined) return policy(`${offer.amount} is not an amount of an Algorand asset`);
    const cost = this.costOf({ ...offer, amount });
    if (!cost) return policy(`asset ${offer.asset} is not among the allowed assets of ${offer.network}`);
    if (cost.amount === 0n) return policy('the amount is zero');
    const { perPayment } = this.limitsOf(cost);
    if (cost.amount <= perPayment) return undefined;
    return {
      kind: 'limit',
      reason: `${costInWords(cost)} is above the limit of ${costInWords({ ...cost, amount: perPayment })} a payment`,
    };
  }
}

function atomicAmount(text: string): bigint | undefined {
  try {
    return parseAtomicAmount(text);
  } catch {
    return undefined;
  }
}

export function hasBudget({ perOrigin, perHour, perDay }: AtomicLimits): boolean {
  return perOrigin !== undefined || perHour !== undefined || perDay !== undefined;
}

/** The reason why an offer's fee payer is not accepted: by any payer, or by this one. */
export function whyNotFeePayer(
  { scheme, extra, payTo }: PaymentRequirements,
  payer: string | undefined,
): Refusal | undefined {
  const feePayer = extra['feePayer'];
  if (feePayer === undefined) return scheme === UPTO ? policy('the offer does not name who settles it') : undefined;
  if (typeof feePayer !== 'string' || !isAddress(feePayer)) return policy('the fee payer is not an Algorand address');
  if (feePayer === payer) return policy('the fee payer would be the payer');
  return feePayer === payTo ? policy('the fee payer would be the receiver') : undefined;
}

function dollarLimits({ perPayment = DEFAULT_PER_PAYMENT, perOrigin, perHour, perDay }: SpendOptions): AtomicLimits {
  const atomic = (price: string): bigint => parsePrice(price, USD_DECIMALS);
  return {
    perPayment: atomic(perPayment),
    ...(perOrigin !== undefined && { perOrigin: atomic(perOrigin) }),
    ...(perHour !== undefined && { perHour: atomic(perHour) }),
    ...(perDay !== undefined && { perDay: atomic(perDay) }),
  };
}

function readAsset(allowed: AllowedAsset): readonly [string, number | AtomicLimits] {
  const key = assetKey(allowed.network, allowed.asset);
  if ('limits' in allowed) return [key, allowed.limits];
  const decimals = allowed.decimals ?? usdcDecimals(allowed.network, allowed.asset);
  if (decimals !== undefined && Number.isInteger(decimals) && decimals >= 0 && decimals <= 19) return [key, decimals];
  throw new X402Error('invalid_spend_options', {
    message: `asset ${allowed.asset}: name its decimals (0 to 19) if a unit is worth a dollar, else its limits in atomic units`,
  });
}

function requireNetwork(pattern: string): void {
  if (pattern !== 'algorand:*') parseNetwork(pattern);
}

function originOf(text: string): string {
  if (URL.canParse(text)) {
    const { origin, href } = new URL(text);
    if (origin !== 'null' && (href === `${origin}/` || text === origin)) return origin;
  }
  throw new X402Error('invalid_spend_options', {
    message: `not an origin like https://api.example.com: ${quoted(text)}`,
  });
}

function policy(reason: string): Refusal {
  return { kind: 'policy', reason };
}
