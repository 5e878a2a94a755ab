import { X402Error } from '@avm402/core/errors';
import { quoted } from '@avm402/core/quoted';

const ASSET_ID = /^[1-9]\d{0,19}$/;

/**
 * Parses an ASA id in decimal digits, from 1 to 2^64 − 1. Each id has one text, so the asset that a policy allowed is
 * the one that is signed.
 * @throws X402Error `unsupported_asset`
 */
export function parseAssetId(asset: unknown): bigint {
  const id = typeof asset === 'string' && ASSET_ID.test(asset) ? BigInt(asset) : 0n;
  if (id > 0n && BigInt.asUintN(64, id) === id) return id;
  const message =
    asset === '0'
      ? 'asset "0" would be Algos: name an ASA'
      : `an asset is an ASA id in decimal digits, as text, not ${quoted(asset)}`;
  throw new X402Error('unsupported_asset', { message });
}
