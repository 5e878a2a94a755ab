import { accountRecord, bareAccount, type BareAccount, type AssetHolding } from '../codec/schema/account.ts';
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

/** An account with all its assets and applications, as algod's ledger encodes it. */
export function recordOfAccount({ account, holdings, created, localStates, applications }: AccountState) {
  return accountRecord.of({
    ...sharedFields(account),
    holdings: new Map<bigint, AssetHolding>(holdings),
    createdAssets: new Map<bigint, AssetParams>(created),
    localStates: new Map<bigint, LocalState>(localStates),
    createdApplications: new Map<bigint, ApplicationParams>(applications),
    totalSchema: totalSchema(account),
    totalExtraPages: BigInt(account.applications.extraPages),
    totalBoxes: BigInt(account.applications.boxes),
    totalBoxBytes: BigInt(account.applications.boxBytes),
  });
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
