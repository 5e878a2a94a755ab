import { address, bytes32, bytes64 } from '../bytes.ts';
import { boolean, uint64, uint8 } from '../integer.ts';
import type { ValueOf } from '../kind.ts';
import { field, requiredField, Struct } from '../struct.ts';
import { optional } from '../optional.ts';
import { applicationParams, localState } from './application.ts';
import { assetParams, stateSchema } from './transaction.ts';
import { integerMap } from '../map.ts';

export const assetHolding = new Struct({ amount: field('a', uint64), frozen: field('f', boolean) });

export type AssetHolding = ValueOf<typeof assetHolding>;

/** An account as the ledger encodes it (go-algorand data/basics, AccountData). */
export const accountRecord = new Struct({
  status: field('onl', uint8),
  microAlgos: field('algo', uint64),
  voteKey: field('vote', bytes32),
  selectionKey: field('sel', bytes32),
  stateProofKey: field('stprf', bytes64),
  voteFirstValid: field('voteFst', uint64),
  voteLastValid: field('voteLst', uint64),
  voteKeyDilution: field('voteKD', uint64),
  lastProposed: field('lpr', uint64),
  lastHeartbeat: field('lhb', uint64),
  createdAssets: field('apar', integerMap(assetParams)),
  holdings: field('asset', integerMap(assetHolding)),
  authAddress: field('spend', address),
  localStates: field('appl', integerMap(localState)),
  createdApplications: field('appp', integerMap(applicationParams)),
  totalSchema: field('tsch', stateSchema),
  totalExtraPages: field('teap', uint64),
  totalBoxes: field('tbx', uint64),
  totalBoxBytes: field('tbxb', uint64),
  incentiveEligible: field('ie', boolean),
});

/** An account without its resources, under the names of algod's Go fields (go-algorand ledger/ledgercore, AccountData). */
export const bareAccount = new Struct({
  status: requiredField('Status', uint8),
  microAlgos: requiredField('MicroAlgos', uint64),
  rewardsBase: requiredField('RewardsBase', uint64),
  rewardedMicroAlgos: requiredField('RewardedMicroAlgos', uint64),
  authAddress: requiredField('AuthAddr', address),
  incentiveEligible: requiredField('IncentiveEligible', boolean),
  totalAppSchema: requiredField('TotalAppSchema', stateSchema),
  totalExtraAppPages: requiredField('TotalExtraAppPages', uint64),
  totalAppParams: requiredField('TotalAppParams', uint64),
  totalAppLocalStates: requiredField('TotalAppLocalStates', uint64),
  totalCreatedAssets: requiredField('TotalAssetParams', uint64),
  totalAssets: requiredField('TotalAssets', uint64),
  totalBoxes: requiredField('TotalBoxes', uint64),
  totalBoxBytes: requiredField('TotalBoxBytes', uint64),
  lastProposed: requiredField('LastProposed', uint64),
  lastHeartbeat: requiredField('LastHeartbeat', uint64),
  voteKey: requiredField('VoteID', bytes32),
  selectionKey: requiredField('SelectionID', bytes32),
  stateProofKey: requiredField('StateProofID', bytes64),
  voteFirstValid: requiredField('VoteFirstValid', uint64),
  voteLastValid: requiredField('VoteLastValid', uint64),
  voteKeyDilution: requiredField('VoteKeyDilution', uint64),
});

/** One asset of an account: its holding, and the parameters if the account created the asset. */
export const accountAsset = new Struct({
  holding: field('asset-holding', optional(assetHolding)),
  params: field('asset-params', optional(assetParams)),
});

/** One application of an account: its local state, and the parameters if the account created the application. */
export const accountApplication = new Struct({
  localState: field('app-local-state', optional(localState)),
  params: field('app-params', optional(applicationParams)),
});

export type BareAccount = ValueOf<typeof bareAccount>;
export type AccountAsset = ValueOf<typeof accountAsset>;
export type AccountApplication = ValueOf<typeof accountApplication>;
