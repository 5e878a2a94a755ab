import { type CreatedBy } from '../queries/queries.ts';
import { formatAddress } from '@avm402/algorand/address';
import { applicationParams, type ApplicationParams, type LocalState } from '../codec/schema/application.ts';
import type { AssetHolding } from '../codec/schema/account.ts';
import type { AssetParams } from '../codec/schema/transaction.ts';
import type { AccountState } from '../queries/account-record.ts';
import type { Json } from '../rest/plain-json.ts';
import { accountFields } from '../rest/routes/accounts.ts';
import { applicationParamsJson, keyValuesJson, schemaJson } from '../rest/routes/application-json.ts';
import { assetParamsJson } from '../rest/routes/asset-json.ts';
import type { ChainIndex } from './chain-index.ts';

/** The parts of an account that can be left out. */
export interface ExcludedParts {
  readonly assets: boolean;
  readonly createdAssets: boolean;
  readonly optedInApplications: boolean;
  readonly createdApplications: boolean;
}

/** An account as an indexer prints it. All rewards are zero. */
export function accountJson(address: Uint8Array, state: AccountState, index: ChainIndex, exclude: ExcludedParts): Json {
  const { holdings, created, localStates, applications } = state;
  const lists = {
    ...(!exclude.optedInApplications && {
      'apps-local-state': localStates.map(([id, local]) => localStateJson(address, [id, local], index)),
    }),
    ...(!exclude.assets && { assets: holdings.map(([id, holding]) => accountHoldingJson(id, holding)) }),
    ...(!exclude.createdApplications && {
      'created-apps': applications.map(([id, params]) => applicationJson(id, { creator: address, params }, index)),
    }),
    ...(!exclude.createdAssets && {
      'created-assets': created.map(([id, params]) => assetJson(id, { creator: address, params }, index)),
    }),
  };
  return {
    ...accountFields(address, state, lists),
    'created-at-round': index.accountRound(address),
    deleted: false,
    'total-box-bytes': state.account.applications.boxBytes,
    'total-boxes': state.account.applications.boxes,
  };
}

/** A holding in the list of its account. */
export function accountHoldingJson(assetId: bigint, { amount, frozen }: AssetHolding): Json {
  return { amount, 'asset-id': assetId, deleted: false, 'is-frozen': frozen };
}

/** A holding in the list of its asset. */
export function balanceJson(address: Uint8Array, { amount, frozen }: AssetHolding): Json {
  return { address: formatAddress(address), amount, deleted: false, 'is-frozen': frozen };
}

/** The state of an account in an application. */
export function localStateJson(
  address: Uint8Array,
  [id, { keys, schema }]: readonly [id: bigint, local: LocalState],
  index: ChainIndex,
): Json {
  return {
    deleted: false,
    id,
    'key-value': keyValuesJson(keys),
    'opted-in-at-round': index.optInRound(address, id),
    schema: schemaJson(schema),
  };
}

/** An application, without what indexers leave out: who pays for its size, and who may use its boxes. */
export function applicationJson(
  id: bigint,
  { creator, params }: CreatedBy<ApplicationParams>,
  index: ChainIndex,
): Json {
  const { sizeSponsor, foreignBoxReads, familyBoxAccess } = applicationParams.zero;
  return {
    'created-at-round': index.applicationRound(id),
    deleted: false,
    id,
    params: applicationParamsJson(creator, { ...params, sizeSponsor, foreignBoxReads, familyBoxAccess }),
  };
}

export function assetJson(id: bigint, { creator, params }: CreatedBy<AssetParams>, index: ChainIndex): Json {
  return {
    'created-at-round': index.assetRound(id),
    deleted: false,
    index: id,
    params: assetParamsJson(creator, params),
  };
}
