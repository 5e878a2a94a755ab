import { applicationAddress } from '../machine/application/application-address.ts';
import type {
  AccountState,
  ApplicationState,
  AssetState,
  HoldingState,
  VoterState,
} from '../machine/application/ledger.ts';
import { type Field, fieldGroup, type FieldGroup } from '../machine/field-group.ts';
import type { StackValue } from '../machine/stack-value.ts';
import { ZERO_32 } from '../machine/group-transaction.ts';

/** A field of a part of the ledger, and the source of its value. */
interface ReadField<Read> extends Field {
  readonly read: Read;
}

type AnyValue = StackValue | number | boolean;

/** An account's holding of an asset. */
export const ASSET_HOLDING_FIELDS: FieldGroup<ReadField<(h: HoldingState) => bigint | boolean>> = fieldGroup(
  'asset_holding',
  'AssetHoldingField',
  [
    { code: 0, name: 'AssetBalance', type: 'uint64', read: (h) => h.amount },
    { code: 1, name: 'AssetFrozen', type: 'bool', read: (h) => h.frozen },
  ],
);

/** Parameters of an asset. */
export const ASSET_PARAMS_FIELDS: FieldGroup<ReadField<(a: AssetState) => AnyValue>> = fieldGroup(
  'asset_params',
  'AssetParamsField',
  [
    { code: 0, name: 'AssetTotal', type: 'uint64', read: ({ params }) => params.total },
    { code: 1, name: 'AssetDecimals', type: 'uint64', read: ({ params }) => params.decimals },
    { code: 2, name: 'AssetDefaultFrozen', type: 'bool', read: ({ params }) => params.defaultFrozen },
    { code: 3, name: 'AssetUnitName', type: '[]byte', read: ({ params }) => params.unitName },
    { code: 4, name: 'AssetName', type: '[]byte', read: ({ params }) => params.name },
    { code: 5, name: 'AssetURL', type: '[]byte', read: ({ params }) => params.url },
    { code: 6, name: 'AssetMetadataHash', type: '[32]byte', read: ({ params }) => params.metadataHash },
    { code: 7, name: 'AssetManager', type: 'address', read: ({ params }) => params.manager },
    { code: 8, name: 'AssetReserve', type: 'address', read: ({ params }) => params.reserve },
    { code: 9, name: 'AssetFreeze', type: 'address', read: ({ params }) => params.freeze },
    { code: 10, name: 'AssetClawback', type: 'address', read: ({ params }) => params.clawback },
    { code: 11, name: 'AssetCreator', type: 'address', since: 5, read: ({ creator }) => creator },
  ],
);

/** Parameters of an application. */
export const APP_PARAMS_FIELDS: FieldGroup<ReadField<(a: ApplicationState, id: bigint) => AnyValue>> = fieldGroup(
  'app_params',
  'AppParamsField',
  [
    { code: 0, name: 'AppApprovalProgram', type: '[]byte', read: (a) => a.approvalProgram },
    { code: 1, name: 'AppClearStateProgram', type: '[]byte', read: (a) => a.clearStateProgram },
    { code: 2, name: 'AppGlobalNumUint', type: 'uint64', read: (a) => a.globalSchema.uints },
    { code: 3, name: 'AppGlobalNumByteSlice', type: 'uint64', read: (a) => a.globalSchema.byteSlices },
    { code: 4, name: 'AppLocalNumUint', type: 'uint64', read: (a) => a.localSchema.uints },
    { code: 5, name: 'AppLocalNumByteSlice', type: 'uint64', read: (a) => a.localSchema.byteSlices },
    { code: 6, name: 'AppExtraProgramPages', type: 'uint64', read: (a) => a.extraProgramPages },
    { code: 7, name: 'AppCreator', type: 'address', read: (a) => a.creator },
    { code: 8, name: 'AppAddress', type: 'address', read: (_, id) => applicationAddress(id) },
    { code: 9, name: 'AppVersion', type: 'uint64', since: 12, read: (a) => a.version },
    { code: 10, name: 'AppSizeSponsor', type: 'address', since: 13, read: (a) => a.sizeSponsor ?? ZERO_32 },
    { code: 11, name: 'AppForeignBoxReads', type: 'bool', since: 13, settable: 13, read: (a) => a.foreignBoxReads },
    { code: 12, name: 'AppFamilyBoxAccess', type: 'bool', since: 13, settable: 13, read: (a) => a.familyBoxAccess },
  ],
);

/** Fields of an account. */
export const ACCT_PARAMS_FIELDS: FieldGroup<ReadField<(a: AccountState) => AnyValue>> = fieldGroup(
  'acct_params',
  'AcctParamsField',
  [
    { code: 0, name: 'AcctBalance', type: 'uint64', read: (a) => a.balance },
    { code: 1, name: 'AcctMinBalance', type: 'uint64', read: (a) => a.minBalance },
    { code: 2, name: 'AcctAuthAddr', type: 'address', read: (a) => a.authAddress ?? ZERO_32 },
    { code: 3, name: 'AcctTotalNumUint', type: 'uint64', since: 8, read: (a) => a.totalUints },
    { code: 4, name: 'AcctTotalNumByteSlice', type: 'uint64', since: 8, read: (a) => a.totalByteSlices },
    { code: 5, name: 'AcctTotalExtraAppPages', type: 'uint64', since: 8, read: (a) => a.totalExtraPages },
    { code: 6, name: 'AcctTotalAppsCreated', type: 'uint64', since: 8, read: (a) => a.totalAppsCreated },
    { code: 7, name: 'AcctTotalAppsOptedIn', type: 'uint64', since: 8, read: (a) => a.totalAppsOptedIn },
    { code: 8, name: 'AcctTotalAssetsCreated', type: 'uint64', since: 8, read: (a) => a.totalAssetsCreated },
    { code: 9, name: 'AcctTotalAssets', type: 'uint64', since: 8, read: (a) => a.totalAssets },
    { code: 10, name: 'AcctTotalBoxes', type: 'uint64', since: 8, read: (a) => a.totalBoxes },
    { code: 11, name: 'AcctTotalBoxBytes', type: 'uint64', since: 8, read: (a) => a.totalBoxBytes },
    { code: 12, name: 'AcctIncentiveEligible', type: 'bool', since: 11, read: (a) => a.incentiveEligible },
    { code: 13, name: 'AcctLastProposed', type: 'uint64', since: 11, read: (a) => a.lastProposed },
    { code: 14, name: 'AcctLastHeartbeat', type: 'uint64', since: 11, read: (a) => a.lastHeartbeat },
  ],
);

/** The data of a voter at the time when the committee was chosen. */
export const VOTER_PARAMS_FIELDS: FieldGroup<ReadField<(v: VoterState) => bigint | boolean>> = fieldGroup(
  'voter_params',
  'VoterParamsField',
  [
    { code: 0, name: 'VoterBalance', type: 'uint64', read: (v) => v.balance },
    { code: 1, name: 'VoterIncentiveEligible', type: 'bool', read: (v) => v.incentiveEligible },
  ],
);
