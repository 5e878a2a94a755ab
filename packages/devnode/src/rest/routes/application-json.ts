import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import {
  type ApplicationParams,
  BYTES_TYPE,
  type KeyValues,
  type LocalState,
  type StateSchema,
  UINT_TYPE,
} from '../../codec/schema/application.ts';
import { addressJson, type Json } from '../plain-json.ts';
import { byteStringBase64 } from '../../codec/text.ts';
import { ascending } from '../../codec/ascending.ts';

export function schemaJson({ uints, byteSlices }: StateSchema): Json {
  return { 'num-byte-slice': byteSlices, 'num-uint': uints };
}

/** Keys and values in order of the keys' bytes; absent when there are none. */
export function keyValuesJson(keys: KeyValues): Json[] | undefined {
  if (keys.size === 0) return undefined;
  return ascending(keys).map(([key, value]) => ({
    key: byteStringBase64(key),
    value:
      typeof value === 'bigint'
        ? { bytes: '', type: UINT_TYPE, uint: value }
        : { bytes: encodeBase64(value), type: BYTES_TYPE, uint: 0 },
  }));
}

/** The state of an account in an application as algod's account routes print it. */
export function localStateJson(id: bigint, { schema, keys }: LocalState): Json {
  return { id, 'key-value': keyValuesJson(keys), schema: schemaJson(schema) };
}

/** An application's parameters as algod prints them. */
export function applicationParamsJson(creator: Uint8Array, params: ApplicationParams): Json {
  return {
    'approval-program': encodeBase64(params.approvalProgram),
    'clear-state-program': encodeBase64(params.clearStateProgram),
    creator: formatAddress(creator),
    'extra-program-pages': params.extraPages || undefined,
    'family-box-access': params.familyBoxAccess || undefined,
    'foreign-box-reads': params.foreignBoxReads || undefined,
    'global-state': keyValuesJson(params.globals),
    'global-state-schema': schemaJson(params.globalSchema),
    'local-state-schema': schemaJson(params.localSchema),
    'size-sponsor': addressJson(params.sizeSponsor),
    version: params.version || undefined,
  };
}
