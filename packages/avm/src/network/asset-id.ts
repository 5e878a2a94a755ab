import { X402Error } from '@avm402/core/errors';

const ASSET_ID = /^[1-9]\d{0,19}$/;
const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * Parses the asset id of an offer, from 1 to 2^64 − 1. The canonical text ensures that the asset that a policy allowed
 * is the one that is signed.
 * @throws X402Error `unsupported_asset`
 */
export function parseAssetId(asset: string): bigint {
  const id = ASSET_ID.test(asset) ? BigInt(asset) : 0n;
  if (id === 0n || id > MAX_UINT64) throw new X402Error('unsupported_asset');
  return id;
}
