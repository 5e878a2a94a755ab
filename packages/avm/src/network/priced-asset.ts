import { X402Error } from '@avm402/core/errors';
import { canonicalNetwork } from '@avm402/core/network';
import { MAX_DECIMALS } from '@avm402/core/price';
import { parseAssetId } from './asset-id.ts';
import { USDC_ASSETS, usdcOn } from './usdc.ts';

/** An asset that prices may be written in. */
export interface PricedAsset {
  /** CAIP-2 id of the network, in any spelling. */
  readonly network: string;
  /** ASA id in decimal digits. */
  readonly asset: string;
  /** Decimal places of the asset: with `6`, 1,000,000 atomic units are one whole unit. */
  readonly decimals: number;
}

/** The assets whose decimals are known: USDC on the known networks, and the assets that the seller adds. */
export class PricedAssets {
  readonly #byId: ReadonlyMap<string, PricedAsset>;

  constructor(added: readonly PricedAsset[]) {
    this.#byId = new Map(
      [...USDC_ASSETS, ...added].map((asset) => [key(asset.asset, asset.network), validated(asset)]),
    );
  }

  /** Decimal places of an asset, if they are known. */
  decimals(asset: string, network: string): number | undefined {
    return this.#byId.get(key(asset, network))?.decimals;
  }

  /**
   * The asset of a price that names no asset: USDC.
   * @throws X402Error `asset_decimals_unknown` on a network whose USDC is not known
   */
  usdc(network: string): string {
    const found = usdcOn(network);
    if (found !== undefined) return found.asset;
    throw new X402Error('asset_decimals_unknown', {
      message: `no USDC is known on ${network}: name the asset with extra.asset and extra.decimals, or price it as { asset, amount }`,
      details: { network },
    });
  }
}

/**
 * Parses decimal places given by the seller.
 * @throws X402Error `asset_decimals_unknown` for anything but 0 to 19
 */
export function parseDecimals(decimals: unknown, asset: string): number {
  if (typeof decimals === 'number' && Number.isInteger(decimals) && decimals >= 0 && decimals <= MAX_DECIMALS) {
    return decimals;
  }
  throw new X402Error('asset_decimals_unknown', {
    message: `the decimals of asset ${asset} must be a whole number from 0 to ${MAX_DECIMALS}`,
    details: { asset },
  });
}

function validated(asset: PricedAsset): PricedAsset {
  return { ...asset, asset: String(parseAssetId(asset.asset)), decimals: parseDecimals(asset.decimals, asset.asset) };
}

function key(asset: string, network: string): string {
  return `${canonicalNetwork(network)}/${asset}`;
}
