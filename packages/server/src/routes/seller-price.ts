import { ExactAvmServer, parsePayTo } from '@avm402/avm/exact/server';
import { X402Error } from '@avm402/core/errors';
import type { PaymentOption } from '@x402/core/http';
import type { RouteConfig } from '@x402/core/server';
import type { Network } from '@x402/core/types';

/** What a route charges on one network. */
export interface NetworkTerms extends Omit<PaymentOption, 'scheme' | 'network'> {
  /** CAIP-2, in any spelling. Default: the only Algorand network that the facilitator serves. */
  readonly network?: Network | undefined;
  /**
   * The schemes to sell by: `exact`, `batch-settlement` (by channels) and `upto` (at most the price). Those that the
   * facilitator serves are offered. Default: `exact`.
   */
  readonly schemes?: readonly SchemeName[];
  /** Offers `exact` in this spelling of the network only. Default: in each that the facilitator serves. */
  readonly spelling?: NetworkSpelling;
}

/** A CAIP-2 id with the first 32 characters of the genesis hash, or with all 44. */
export type NetworkSpelling = 'short' | 'long';

export type SchemeName = 'exact' | 'batch-settlement' | 'upto';

export const DEFAULT_SCHEMES: readonly SchemeName[] = ['exact'];

/** To whom a price is paid, and by which schemes. */
export interface PriceTerms extends Omit<NetworkTerms, 'price' | 'payTo'> {
  /** The address that gets paid. A variable that is not set is an error, by name. */
  readonly payTo: NetworkTerms['payTo'] | undefined;
}

/**
 * A price that a route may name before anybody knows what the facilitator serves: the offers follow when the first
 * buyer asks. From `Seller.price`.
 */
export class SellerPrice {
  /** With `price` and `payTo` checked as far as this is possible without a facilitator. */
  readonly terms: NetworkTerms;

  /** @throws X402Error `invalid_pay_to`, `invalid_price`, `price_too_precise`, `price_not_positive` */
  constructor(price: PaymentOption['price'], terms: PriceTerms) {
    const { payTo, ...rest } = Object(terms) as PriceTerms;
    if (payTo === undefined || payTo === '') {
      throw new X402Error('invalid_pay_to', {
        message: 'payTo is missing: the address that gets paid, for example from the variable AVM_ADDRESS',
      });
    }
    if (typeof payTo === 'string') parsePayTo(payTo);
    this.terms = { ...rest, price, payTo };
    checkPrice(this.terms);
  }
}

/** The `accepts` of a route: offers as the stock packages write them, and prices of the seller. */
export type Accepted = PaymentOption | SellerPrice;

/** A route of a seller: stock's configuration, in which prices of the seller may stand for offers. */
export type SoldRoute = SellerPrice | (Omit<RouteConfig, 'accepts'> & { readonly accepts: Accepted | Accepted[] });

/** What a seller sells by route, or one route for all requests. */
export type SoldRoutes = SoldRoute | Readonly<Record<string, SoldRoute>>;

/** Stands for the network until the facilitator has named it: TestNet, spelled as long as any id. Its USDC is known. */
export const ANY_NETWORK: Network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=';

/** Checks a price in USDC. The decimals of another asset may be known only on the network that the facilitator serves. */
function checkPrice({ price, network = ANY_NETWORK, extra = {} }: NetworkTerms): void {
  if (typeof price === 'function' || extra['asset'] !== undefined) return;
  new ExactAvmServer().quote({ price, network, extra });
}
