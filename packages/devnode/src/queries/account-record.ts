import { encode } from '../codec/document.ts';
import {
  accountApplication,
  accountAsset,
  accountRecord,
  bareAccount,
  type BareAccount,
  type AssetHolding,
} from '../codec/schema/account.ts';
import type { ApplicationParams, LocalState } from '../codec/schema/application.ts';
import type { AssetParams } from '../codec/schema/transaction.ts';
import { ACCOUNT_STATUSES, type Account } from '../ledger/account.ts';

export interface AccountState {
  readonly round: bigint;
  readonly account: Account;
  /** µAlgo that the account must keep. */
  readonly minBalance: bigint;
  /** Holdings by asset id, ascending. */
  readonly holdings: readonly (readonly [assetId: bigint, holding: AssetHolding])[];
  /** Parameters of the assets that this account created, by id, ascending. */
  readonly created: readonly (readonly [assetId: bigint, params: AssetParams])[];
  /** Its states in applications, by their ids, ascending. */
  readonly localStates: readonly (readonly [id: bigint, local: LocalState])[];
  /** The applications that this account created, by id, ascending. */
  readonly applications: readonly (readonly [id: bigint, params: ApplicationParams])[];
}

/** msgpack of an account with all its assets and applications, as algod's ledger encodes it. */
export function accountRecordMsgpack(state: AccountState): Uint8Array {
  const { account, holdings, created, localStates, applications } = state;
  return encode(
    accountRecord,
    accountRecord.of({
      ...sharedFields(account),
      holdings: new Map<bigint, AssetHolding>(holdings),
      createdAssets: new Map<bigint, AssetParams>(created),
      localStates: new Map<bigint, LocalState>(localStates),
      createdApplications: new Map<bigint, ApplicationParams>(applications),
      totalSchema: totalSchema(account),
      totalExtraPages: BigInt(account.applications.extraPages),
      totalBoxes: BigInt(account.applications.boxes),
      totalBoxBytes: BigInt(account.applications.boxBytes),
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
    totalAppSchema: totalSchema(account),
    totalExtraAppPages: BigInt(account.applications.extraPages),
    totalAppParams: BigInt(account.applications.created),
    totalAppLocalStates: BigInt(account.applications.optedIn),
    totalBoxes: BigInt(account.applications.boxes),
    totalBoxBytes: BigInt(account.applications.boxBytes),
  });
}

function totalSchema({ applications: { uints, byteSlices } }: Account) {
  return { uints: BigInt(uints), byteSlices: BigInt(byteSlices) };
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

/** msgpack of one application of an account. */
export function accountApplicationMsgpack(
  local: LocalState | undefined,
  params: ApplicationParams | undefined,
): Uint8Array {
  return encode(accountApplication, { localState: local, params });
}

/** msgpack of one asset of an account. */
export function accountAssetMsgpack(holding: AssetHolding | undefined, params: AssetParams | undefined): Uint8Array {
  return encode(accountAsset, { holding, params });
}
