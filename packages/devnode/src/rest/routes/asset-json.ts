import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import type { AssetHolding } from '../../codec/schema/account.ts';
import type { AssetParams } from '../../codec/schema/transaction.ts';
import { addressJson, bytesJson, type Json } from '../plain-json.ts';

/** A holding as algod's account and asset routes print it. */
export function holdingJson(assetId: bigint, { amount, frozen }: AssetHolding): Json {
  return { amount, 'asset-id': assetId, 'is-frozen': frozen };
}

/** An asset's parameters as algod prints them: roles, texts and hash only when set. */
export function assetParamsJson(creator: Uint8Array, params: AssetParams): Json {
  return {
    clawback: addressJson(params.clawback),
    creator: formatAddress(creator),
    decimals: params.decimals,
    'default-frozen': params.defaultFrozen,
    freeze: addressJson(params.freeze),
    manager: addressJson(params.manager),
    'metadata-hash': bytesJson(params.metadataHash),
    name: printable(params.name),
    'name-b64': base64OrNothing(params.name),
    reserve: addressJson(params.reserve),
    total: params.total,
    'unit-name': printable(params.unitName),
    'unit-name-b64': base64OrNothing(params.unitName),
    url: printable(params.url),
    'url-b64': base64OrNothing(params.url),
  };
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
