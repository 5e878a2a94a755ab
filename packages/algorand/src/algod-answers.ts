import type { AnswerReader } from './answer-reader.ts';

type Present<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };

/** The members that are set. */
function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}

export interface SuggestedParams {
  /** µAlgo per byte; 0 while the network is not congested. */
  readonly fee: bigint;
  /** µAlgo per transaction. */
  readonly minFee: bigint;
  readonly genesisId: string;
  /** 32 bytes. */
  readonly genesisHash: Uint8Array;
  readonly lastRound: bigint;
  readonly consensusVersion: string;
}

export function readParams(answer: AnswerReader): SuggestedParams {
  return {
    fee: answer.integer('fee'),
    minFee: answer.integer('min-fee'),
    genesisId: answer.text('genesis-id'),
    genesisHash: answer.base64('genesis-hash'),
    lastRound: answer.integer('last-round'),
    consensusVersion: answer.text('consensus-version'),
  };
}

export interface NodeStatus {
  readonly lastRound: bigint;
  readonly consensusVersion: string;
  /** Nanoseconds spent catching up with the network; 0 when the node is in sync. */
  readonly catchupTimeNs: bigint;
}

export function readStatus(answer: AnswerReader): NodeStatus {
  return {
    lastRound: answer.integer('last-round'),
    consensusVersion: answer.text('last-version'),
    catchupTimeNs: answer.integer('catchup-time'),
  };
}

export interface NodeVersions {
  readonly genesisId: string;
  /** 32 bytes. */
  readonly genesisHash: Uint8Array;
  /** The API's versions, e.g. `v2`. */
  readonly versions: readonly string[];
}

export function readVersions(answer: AnswerReader): NodeVersions {
  return {
    genesisId: answer.text('genesis_id'),
    genesisHash: answer.base64('genesis_hash_b64'),
    versions: answer.texts('versions'),
  };
}

export interface SimulateResult {
  readonly lastRound: bigint;
  readonly wouldSucceed: boolean;
  /** algod's reason why the group would fail. */
  readonly failureMessage?: string;
  /** Index of the failing member in the group. */
  readonly failedAt?: readonly number[];
}

export function readSimulateResult(answer: AnswerReader): SimulateResult {
  const group = answer.firstMap('txn-groups');
  const failureMessage = group.optionalText('failure-message');
  const failedAt = group.optionalIntegers('failed-at')?.map(Number);
  const wouldSucceed = failureMessage === undefined && failedAt === undefined;
  return { lastRound: answer.integer('last-round'), wouldSucceed, ...present({ failureMessage, failedAt }) };
}

export interface PendingTransaction {
  /** Absent while the transaction waits in the pool. */
  readonly confirmedRound?: bigint;
  /** Why the transaction was dropped from the pool; empty if it was not. */
  readonly poolError: string;
  /** The asset that the transaction created. */
  readonly assetIndex?: bigint;
}

export function readPendingTransaction(answer: AnswerReader): PendingTransaction {
  const known = {
    confirmedRound: answer.optionalInteger('confirmed-round'),
    assetIndex: answer.optionalInteger('asset-index'),
  };
  return { poolError: answer.text('pool-error'), ...present(known) };
}

export interface AccountInformation {
  readonly address: string;
  /** µAlgo. */
  readonly amount: bigint;
  /** The minimum balance in µAlgo, which must stay in the account. */
  readonly minBalance: bigint;
  /** The address that signs, when the account is rekeyed. */
  readonly authAddress?: string;
  readonly round: bigint;
}

export function readAccount(answer: AnswerReader): AccountInformation {
  return {
    address: answer.text('address'),
    amount: answer.integer('amount'),
    minBalance: answer.integer('min-balance'),
    round: answer.integer('round'),
    ...present({ authAddress: answer.optionalText('auth-addr') }),
  };
}

export interface AssetHolding {
  /** Atomic units. */
  readonly amount: bigint;
  readonly isFrozen: boolean;
}

/** For an account that created the asset but does not hold it, algod's answer has no holding. */
export function readHolding(answer: AnswerReader): AssetHolding | undefined {
  const holding = answer.optionalMap('asset-holding');
  return holding && { amount: holding.integer('amount'), isFrozen: holding.flag('is-frozen') };
}

/** Everything that an asset's creator can set. Texts are bytes, because they need not be UTF-8. */
export interface CreatedAssetParameters {
  readonly creator: string;
  /** Atomic units in existence. */
  readonly total: bigint;
  readonly decimals: number;
  readonly defaultFrozen: boolean;
  readonly name?: Uint8Array;
  readonly unitName?: Uint8Array;
  readonly url?: Uint8Array;
  readonly metadataHash?: Uint8Array;
  readonly manager?: string;
  readonly reserve?: string;
  readonly freeze?: string;
  readonly clawback?: string;
}

export interface HeldAsset extends AssetHolding {
  readonly assetId: bigint;
  /** Absent if the asset was destroyed. */
  readonly params?: CreatedAssetParameters;
}

/** Some of an account's holdings, in ascending order of asset id. */
export interface HoldingsPage {
  readonly holdings: readonly HeldAsset[];
  /** Where the next page begins; absent on the last page. */
  readonly next?: string;
  readonly round: bigint;
}

export function readHoldings(answer: AnswerReader): HoldingsPage {
  return {
    holdings: answer.maps('asset-holdings').map(readHeldAsset),
    ...present({ next: answer.optionalText('next-token') }),
    round: answer.integer('round'),
  };
}

function readHeldAsset(answer: AnswerReader): HeldAsset {
  const holding = answer.map('asset-holding');
  const params = answer.optionalMap('asset-params');
  return {
    assetId: holding.integer('asset-id'),
    amount: holding.integer('amount'),
    isFrozen: holding.flag('is-frozen'),
    ...(params !== undefined && { params: readCreatedAssetParameters(params) }),
  };
}

function readCreatedAssetParameters(params: AnswerReader): CreatedAssetParameters {
  const given = {
    name: params.optionalBase64('name-b64'),
    unitName: params.optionalBase64('unit-name-b64'),
    url: params.optionalBase64('url-b64'),
    metadataHash: params.optionalBase64('metadata-hash'),
    manager: params.optionalText('manager'),
    reserve: params.optionalText('reserve'),
    freeze: params.optionalText('freeze'),
    clawback: params.optionalText('clawback'),
  };
  return {
    creator: params.text('creator'),
    total: params.integer('total'),
    decimals: Number(params.integer('decimals')),
    defaultFrozen: params.flag('default-frozen'),
    ...present(given),
  };
}

export interface AssetInformation {
  readonly assetId: bigint;
  readonly creator: string;
  /** Atomic units in existence. */
  readonly total: bigint;
  readonly decimals: number;
  readonly defaultFrozen: boolean;
  readonly name?: string;
  readonly unitName?: string;
}

export function readAsset(answer: AnswerReader): AssetInformation {
  const params = answer.map('params');
  return {
    assetId: answer.integer('index'),
    creator: params.text('creator'),
    total: params.integer('total'),
    decimals: Number(params.integer('decimals')),
    defaultFrozen: params.flag('default-frozen'),
    ...present({ name: params.optionalText('name'), unitName: params.optionalText('unit-name') }),
  };
}
