import { encode } from '../codec/document.ts';
import { accountAsset, accountRecord, assetHolding, bareAccount, type BareAccount } from '../codec/schema/account.ts';
import { ACCOUNT_STATUSES, type Account, type AssetHolding, type AssetParams } from '../ledger/account.ts';

export interface AccountState {
  readonly round: bigint;
  readonly account: Account;
  /** µAlgo that the account must keep. */
  readonly minBalance: bigint;
  /** Holdings by asset id, ascending. */
  readonly holdings: readonly (readonly [assetId: bigint, holding: AssetHolding])[];
  /** Parameters of the assets that this account created, by id, ascending. */
  readonly created: readonly (readonly [assetId: bigint, params: AssetParams])[];
}

/** msgpack of an account with all its assets, as algod's ledger encodes it. */
export function accountRecordMsgpack({ account, holdings, created }: AccountState): Uint8Array {
  return encode(
    accountRecord,
    accountRecord.of({
      ...sharedFields(account),
      holdings: new Map<bigint, AssetHolding>(holdings),
      createdAssets: new Map<bigint, AssetParams>(created),
    }),
  );
}

/** msgpack of an account without its assets, under Go's names, nothing left out. */
export function bareAccountMsgpack({ account }: AccountState): Uint8Array {
  return encode(bareAccount, bareAccountFields(account));
}

/** An account without its assets, under Go's names. */
export function bareAccountFields(account: Account): BareAccount {
  return bareAccount.of({
    ...sharedFields(account),
    totalAssets: BigInt(account.totalAssets),
    totalCreatedAssets: BigInt(account.totalCreatedAssets),
  });
}

function sharedFields({ microAlgos, status, authAddress, participation, ...rest }: Account) {
  return {
    ...participation,
    status: ACCOUNT_STATUSES.indexOf(status),
    microAlgos,
    authAddress: authAddress ?? accountRecord.zero.authAddress,
    lastProposed: rest.lastProposed,
    lastHeartbeat: rest.lastHeartbeat,
    incentiveEligible: rest.incentiveEligible,
  };
}

/** msgpack of one asset of an account. */
export function accountAssetMsgpack(holding: AssetHolding | undefined, params: AssetParams | undefined): Uint8Array {
  return encode(accountAsset, {
    holding: holding && assetHolding.of(holding),
    params,
  });
}
