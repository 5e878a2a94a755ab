import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import type { AssetHolding, AssetParams } from '../../ledger/account.ts';
import type { Json } from '../plain-json.ts';

/** A holding as algod's account and asset routes print it. */
export function holdingJson(assetId: bigint, { amount, frozen }: AssetHolding): Json {
  return { amount, 'asset-id': assetId, 'is-frozen': frozen };
}

/** An asset's parameters as algod prints them: roles, texts and hash only when set. */
export function assetParamsJson(creator: Uint8Array, params: AssetParams): Json {
  return {
    clawback: roleJson(params.clawback),
    creator: formatAddress(creator),
    decimals: params.decimals,
    'default-frozen': params.defaultFrozen,
    freeze: roleJson(params.freeze),
    manager: roleJson(params.manager),
    'metadata-hash': isZero(params.metadataHash) ? undefined : encodeBase64(params.metadataHash),
    name: printable(params.name),
    'name-b64': base64OrNothing(params.name),
    reserve: roleJson(params.reserve),
    total: params.total,
    'unit-name': printable(params.unitName),
    'unit-name-b64': base64OrNothing(params.unitName),
    url: printable(params.url),
    'url-b64': base64OrNothing(params.url),
  };
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function roleJson(address: Uint8Array): string | undefined {
  return isZero(address) ? undefined : formatAddress(address);
}

function base64OrNothing(bytes: Uint8Array): string | undefined {
  return bytes.length === 0 ? undefined : encodeBase64(bytes);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
// The characters that Go's unicode.IsPrint accepts: letters, marks, numbers, punctuation, symbols, the ASCII space.
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;

function printable(bytes: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(bytes);
    return PRINTABLE.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
