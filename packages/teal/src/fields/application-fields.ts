import { fieldGroup, type FieldGroup } from '../machine/field-group.ts';

/** An account's holding of an asset. */
export const ASSET_HOLDING_FIELDS: FieldGroup = fieldGroup('asset_holding', 'AssetHoldingField', [
  { code: 0, name: 'AssetBalance', type: 'uint64' },
  { code: 1, name: 'AssetFrozen', type: 'bool' },
]);

/** Parameters of an asset. */
export const ASSET_PARAMS_FIELDS: FieldGroup = fieldGroup('asset_params', 'AssetParamsField', [
  { code: 0, name: 'AssetTotal', type: 'uint64' },
  { code: 1, name: 'AssetDecimals', type: 'uint64' },
  { code: 2, name: 'AssetDefaultFrozen', type: 'bool' },
  { code: 3, name: 'AssetUnitName', type: '[]byte' },
  { code: 4, name: 'AssetName', type: '[]byte' },
  { code: 5, name: 'AssetURL', type: '[]byte' },
  { code: 6, name: 'AssetMetadataHash', type: '[32]byte' },
  { code: 7, name: 'AssetManager', type: 'address' },
  { code: 8, name: 'AssetReserve', type: 'address' },
  { code: 9, name: 'AssetFreeze', type: 'address' },
  { code: 10, name: 'AssetClawback', type: 'address' },
  { code: 11, name: 'AssetCreator', type: 'address', since: 5 },
]);

/** Parameters of an application. */
export const APP_PARAMS_FIELDS: FieldGroup = fieldGroup('app_params', 'AppParamsField', [
  { code: 0, name: 'AppApprovalProgram', type: '[]byte' },
  { code: 1, name: 'AppClearStateProgram', type: '[]byte' },
  { code: 2, name: 'AppGlobalNumUint', type: 'uint64' },
  { code: 3, name: 'AppGlobalNumByteSlice', type: 'uint64' },
  { code: 4, name: 'AppLocalNumUint', type: 'uint64' },
  { code: 5, name: 'AppLocalNumByteSlice', type: 'uint64' },
  { code: 6, name: 'AppExtraProgramPages', type: 'uint64' },
  { code: 7, name: 'AppCreator', type: 'address' },
  { code: 8, name: 'AppAddress', type: 'address' },
  { code: 9, name: 'AppVersion', type: 'uint64', since: 12 },
  { code: 10, name: 'AppSizeSponsor', type: 'address', since: 13 },
  { code: 11, name: 'AppForeignBoxReads', type: 'bool', since: 13, settable: 13 },
  { code: 12, name: 'AppFamilyBoxAccess', type: 'bool', since: 13, settable: 13 },
]);

/** Fields of an account. */
export const ACCT_PARAMS_FIELDS: FieldGroup = fieldGroup('acct_params', 'AcctParamsField', [
  { code: 0, name: 'AcctBalance', type: 'uint64' },
  { code: 1, name: 'AcctMinBalance', type: 'uint64' },
  { code: 2, name: 'AcctAuthAddr', type: 'address' },
  { code: 3, name: 'AcctTotalNumUint', type: 'uint64', since: 8 },
  { code: 4, name: 'AcctTotalNumByteSlice', type: 'uint64', since: 8 },
  { code: 5, name: 'AcctTotalExtraAppPages', type: 'uint64', since: 8 },
  { code: 6, name: 'AcctTotalAppsCreated', type: 'uint64', since: 8 },
  { code: 7, name: 'AcctTotalAppsOptedIn', type: 'uint64', since: 8 },
  { code: 8, name: 'AcctTotalAssetsCreated', type: 'uint64', since: 8 },
  { code: 9, name: 'AcctTotalAssets', type: 'uint64', since: 8 },
  { code: 10, name: 'AcctTotalBoxes', type: 'uint64', since: 8 },
  { code: 11, name: 'AcctTotalBoxBytes', type: 'uint64', since: 8 },
  { code: 12, name: 'AcctIncentiveEligible', type: 'bool', since: 11 },
  { code: 13, name: 'AcctLastProposed', type: 'uint64', since: 11 },
  { code: 14, name: 'AcctLastHeartbeat', type: 'uint64', since: 11 },
]);

/** The data of a voter at the time when the committee was chosen. */
export const VOTER_PARAMS_FIELDS: FieldGroup = fieldGroup('voter_params', 'VoterParamsField', [
  { code: 0, name: 'VoterBalance', type: 'uint64' },
  { code: 1, name: 'VoterIncentiveEligible', type: 'bool' },
]);
