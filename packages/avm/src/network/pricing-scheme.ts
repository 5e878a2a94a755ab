import { isAddress, ZERO_ADDRESS } from '@avm402/algorand/address';
import { X402Error } from '@avm402/core/errors';
import { quoted } from '@avm402/core/quoted';
import { isAlgorandNetwork } from '@avm402/core/network';
import { formatMoney, parseAtomicAmount, parsePrice } from '@avm402/core/price';
import type { AssetAmount, Network, PaymentRequirements, Price, SupportedKind } from '@x402/core/types';
import { parseAssetId } from './asset-id.ts';
import { parseDecimals, PricedAssets, type PricedAsset } from './priced-asset.ts';

/** A price, with the network and `extra` that decide its asset. */
export interface PriceQuestion {
  /** `"$0.01"`, `"0.01"`, `0.01`, or atomic units of one asset: `{ asset, amount }`. */
  readonly price: Price;
  /** CAIP-2 id, in any spelling. */
  readonly network: string;
  /** The offer's `extra`: `asset` selects the asset to pay in, `decimals` gives its decimal places. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export interface PricingOptions {
  /** Assets other than USDC that prices may be written in, with their decimals. */
  readonly assets?: readonly PricedAsset[];
}

type Extra = Readonly<Record<string, unknown>>;

/** The common part of the seller's side of all schemes on Algorand: turns prices into offers. */
export abstract class PricingScheme {
  readonly defaultAssetTransferMethod = 'default';
  readonly #assets: PricedAssets;

  constructor(options: PricingOptions = {}) {
    this.#assets = new PricedAssets(options.assets ?? []);
  }

  /**
   * Converts a price to atomic units of the asset that will be paid. Nothing is rounded.
   * @throws X402Error `invalid_price`, `price_too_precise`, `price_not_positive`, `asset_decimals_unknown`,
   * `unsupported_asset`, `unsupported_network`
   */
  quote({ price, network, extra = {} }: PriceQuestion): AssetAmount {
    if (!isAlgorandNetwork(network)) {
      throw new X402Error('unsupported_network', { message: `${network} is not an Algorand network` });
    }
    if (typeof price === 'object' && price !== null) return atomicPrice(price, extra);
    const asset = extra['asset'] === undefined ? this.#assets.usdc(network) : String(parseAssetId(extra['asset']));
    const decimals = this.#decimals(asset, network, extra);
    return { asset, amount: parsePrice(this.#priceText(price, asset, network), decimals).toString() };
  }

  /** Like `quote`, for a resource server that passes no `extra`: the price is in USDC, or is `{ asset, amount }`. */
  async parsePrice(price: Price, network: Network): Promise<AssetAmount> {
    return this.quote({ price, network });
  }

  /** Decimal places of an asset; undefined when the seller has not named them. */
  getAssetDecimals(asset: string, network: Network): number | undefined {
    return this.#assets.decimals(asset, network);
  }

  /**
   * Completes an offer with the fee payer and the asset that `extra.asset` selects.
   * @throws X402Error `invalid_pay_to`, `price_too_precise`, `asset_decimals_unknown`, `unsupported_asset`
   */
  async enhancePaymentRequirements(
    requirements: PaymentRequirements,
    supportedKind: SupportedKind,
    _facilitatorExtensions: string[],
  ): Promise<PaymentRequirements> {
    const { asset: _selected, ...extra } = requirements.extra;
    const feePayer = supportedKind.extra?.['feePayer'];
    return {
      ...requirements,
      ...this.#inSelectedAsset(requirements),
      payTo: parsePayTo(requirements.payTo, feePayer),
      extra: typeof feePayer === 'string' ? { ...extra, feePayer } : extra,
    };
  }

  /** The stock resource server prices before it looks at `extra`; this converts its answer, exactly. */
  #inSelectedAsset({ asset, amount, network, extra }: PaymentRequirements): { asset: string; amount: string } {
    const selected = extra['asset'] === undefined ? asset : String(parseAssetId(extra['asset']));
    if (selected === asset) return { asset: String(parseAssetId(asset)), amount: positive(amount) };
    const price = formatMoney(parseAtomicAmount(amount), this.#decimals(asset, network, {}));
    return this.quote({ price, network, extra });
  }

  /** The stock package also accepts a ticker after the amount: "0.01 USD" for any asset, "0.01 USDC" for USDC. */
  #priceText(price: string | number, asset: string, network: string): string {
    const [, amount, ticker] = /^(.*?)\s+([A-Za-z]+)$/.exec(String(price).trim()) ?? [];
    if (amount === undefined || ticker === undefined) return String(price).trim();
    const isUsdc = ticker.toUpperCase() === 'USDC' && asset === this.#assets.usdc(network);
    if (isUsdc || ticker.toUpperCase() === 'USD') return amount;
    throw new X402Error('invalid_price', {
      message: `a price in "${ticker}" is not understood: select the asset with extra.asset, and write "$0.01"`,
    });
  }

  #decimals(asset: string, network: string, extra: Extra): number {
    if (extra['decimals'] !== undefined) return parseDecimals(extra['decimals'], asset);
    const decimals = this.#assets.decimals(asset, network);
    if (decimals !== undefined) return decimals;
    throw new X402Error('asset_decimals_unknown', {
      message: `the decimals of asset ${asset} on ${network} are not known: set extra.decimals, or price it as { asset, amount }`,
      details: { asset, network },
    });
  }
}

/**
 * Parses the receiver of a payment: a valid address that is neither the zero address, which nobody can spend from, nor
 * the account that pays the fee.
 * @throws X402Error `invalid_pay_to`
 */
export function parsePayTo(payTo: unknown, feePayer?: unknown): string {
  if (typeof payTo !== 'string' || !isAddress(payTo) || payTo === ZERO_ADDRESS) {
    throw new X402Error('invalid_pay_to', {
      message: `payTo must be an Algorand address of 58 characters with a valid checksum, not ${quoted(payTo)}`,
    });
  }
  if (payTo === feePayer) {
    throw new X402Error('invalid_pay_to', { message: `payTo ${payTo} is the facilitator's own account` });
  }
  return payTo;
}

function atomicPrice(price: AssetAmount, extra: Extra): AssetAmount {
  const asset = String(parseAssetId(price.asset));
  if (extra['asset'] !== undefined && extra['asset'] !== asset) {
    throw new X402Error('unsupported_asset', {
      message: `the price is in asset ${asset}, but extra.asset names another one`,
    });
  }
  return { asset, amount: positive(price.amount), ...(price.extra !== undefined && { extra: price.extra }) };
}

function positive(amount: string): string {
  const atomic = parseAtomicAmount(amount);
  if (atomic > 0n) return atomic.toString();
  throw new X402Error('price_not_positive', { message: 'an amount of 0 would give the resource away' });
}
