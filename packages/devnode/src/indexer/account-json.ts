import { formatAddress } from '@avm402/algorand/address';
import type { AssetHolding, AssetParams } from '../ledger/account.ts';
import type { AccountState } from '../queries/account-record.ts';
import type { Json } from '../rest/plain-json.ts';
import { participationJson } from '../rest/routes/accounts.ts';
import { assetParamsJson } from '../rest/routes/asset-json.ts';
import type { Origins } from './origins.ts';

/** Parts of an account that can be left out. */
export interface ExcludedParts {
  readonly assets: boolean;
  readonly createdAssets: boolean;
  readonly optedInApplications: boolean;
  readonly createdApplications: boolean;
}

/** An account as an indexer prints it. Of rewards and applications there are none. */
export function accountJson(address: Uint8Array, state: AccountState, origins: Origins, exclude: ExcludedParts): Json {
  const { account, holdings, created, minBalance, round } = state;
  return {
    address: formatAddress(address),
    amount: account.microAlgos,
    'amount-without-pending-rewards': account.microAlgos,
    'apps-local-state': exclude.optedInApplications ? undefined : [],
    'apps-total-schema': { 'num-byte-slice': 0, 'num-uint': 0 },
    assets: exclude.assets ? undefined : holdings.map(([id, holding]) => accountHoldingJson(id, holding)),
    'auth-addr': account.authAddress && formatAddress(account.authAddress),
    'created-apps': exclude.createdApplications ? undefined : [],
    'created-assets': exclude.createdAssets
      ? undefined
      : created.map(([id, params]) => assetJson(id, { creator: address, params }, origins)),
    'created-at-round': origins.accountRound(address),
    deleted: false,
    'incentive-eligible': account.incentiveEligible || undefined,
    'last-heartbeat': account.lastHeartbeat || undefined,
    'last-proposed': account.lastProposed || undefined,
    'min-balance': minBalance,
    participation: account.participation && participationJson(account.participation),
    'pending-rewards': 0,
    'reward-base': 0,
    rewards: 0,
    round,
    status: account.status,
    'total-apps-opted-in': 0,
    'total-assets-opted-in': account.totalAssets,
    'total-box-bytes': 0,
    'total-boxes': 0,
    'total-created-apps': 0,
    'total-created-assets': account.totalCreatedAssets,
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
