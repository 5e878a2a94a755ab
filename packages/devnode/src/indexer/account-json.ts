import { formatAddress } from '@avm402/algorand/address';
import type { AssetHolding, AssetParams } from '../ledger/account.ts';
import type { AccountState } from '../queries/account-record.ts';
import type { Json } from '../rest/plain-json.ts';
import { accountFields } from '../rest/routes/accounts.ts';
import { assetParamsJson } from '../rest/routes/asset-json.ts';
import type { Origins } from './origins.ts';

/** The parts of an account that can be left out. */
export interface ExcludedParts {
  readonly assets: boolean;
  readonly createdAssets: boolean;
  readonly optedInApplications: boolean;
  readonly createdApplications: boolean;
}

/** An account as an indexer prints it. All rewards are zero, and there are no applications. */
export function accountJson(address: Uint8Array, state: AccountState, origins: Origins, exclude: ExcludedParts): Json {
  const { holdings, created } = state;
  const lists = {
    ...(!exclude.optedInApplications && { 'apps-local-state': [] }),
    ...(!exclude.assets && { assets: holdings.map(([id, holding]) => accountHoldingJson(id, holding)) }),
    ...(!exclude.createdApplications && { 'created-apps': [] }),
    ...(!exclude.createdAssets && {
      'created-assets': created.map(([id, params]) => assetJson(id, { creator: address, params }, origins)),
    }),
  };
  return {
    ...accountFields(address, state, lists),
    'created-at-round': origins.accountRound(address),
    deleted: false,
    'total-box-bytes': 0,
    'total-boxes': 0,
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

export function assetJson(
  index: bigint,
  { creator, params }: { readonly creator: Uint8Array; readonly params: AssetParams },
  origins: Origins,
): Json {
  return {
    'created-at-round': origins.assetRound(index),
    deleted: false,
    index,
    params: assetParamsJson(creator, params),
  };
}
