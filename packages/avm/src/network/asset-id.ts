import { X402Error } from '@avm402/core/errors';

const ASSET_ID = /^[1-9]\d{0,19}$/;
const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * The asset of an offer: its id, from 1 to 2^64 − 1. What a policy has allowed by its text is then what is signed.
 * @throws X402Error `unsupported_asset`
 */
export function parseAssetId(asset: string): bigint {
  const id = ASSET_ID.test(asset) ? BigInt(asset) : 0n;
  if (id === 0n || id > MAX_UINT64) throw new X402Error('unsupported_asset');
  return id;
}
