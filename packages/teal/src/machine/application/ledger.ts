import type { AssetParameterFields, StateSchemaFields, TransactionFields } from '../group-transaction.ts';
import type { StackValue } from '../stack-value.ts';
import type { Failure } from './failure.ts';
import type { GroupPrograms } from './group-programs.ts';

/** An account as programs read it. An account that does not exist has zeros. */
export interface AccountState {
  /** µAlgo. */
  readonly balance: bigint;
  /** µAlgo. */
  readonly minBalance: bigint;
  /** The account that signs for this one; undefined: itself. */
  readonly authAddress: Uint8Array | undefined;
  readonly totalUints: bigint;
  readonly totalByteSlices: bigint;
  readonly totalExtraPages: bigint;
  readonly totalAppsCreated: bigint;
  readonly totalAppsOptedIn: bigint;
  readonly totalAssetsCreated: bigint;
  readonly totalAssets: bigint;
  readonly totalBoxes: bigint;
  readonly totalBoxBytes: bigint;
  readonly incentiveEligible: boolean;
  readonly lastProposed: bigint;
  readonly lastHeartbeat: bigint;
}

/** An account that was online when the committee was chosen; all others have 0 and false. */
export interface VoterState {
  /** µAlgo. */
  readonly balance: bigint;
  readonly incentiveEligible: boolean;
}

export interface HoldingState {
  readonly amount: bigint;
  readonly frozen: boolean;
}

export interface AssetState {
  readonly creator: Uint8Array;
  readonly params: AssetParameterFields;
}

/** The two permissions that an application gives to others to use its boxes. */
export interface BoxAccess {
  /** Whether every application may read them. */
  readonly foreignBoxReads: boolean;
  /** Whether applications of the same creator may read and write them. */
  readonly familyBoxAccess: boolean;
}

export interface ApplicationState extends BoxAccess {
  readonly creator: Uint8Array;
  readonly approvalProgram: Uint8Array;
  readonly clearStateProgram: Uint8Array;
  readonly globalSchema: StateSchemaFields;
  readonly localSchema: StateSchemaFields;
  readonly extraProgramPages: number;
  readonly version: bigint;
  /** The account that pays for the size; undefined: the creator. */
  readonly sizeSponsor: Uint8Array | undefined;
}

/**
 * The ledger as the programs of a group see and change it. It answers every question; callers check which program
 * may ask it. Addresses are 32 bytes, ids are never slots. A key that is missing is undefined, and
 * setting undefined deletes it.
 */
export interface ApplicationLedger {
  /** The round of the block that the group would be in. */
  readonly round: bigint;
  /** Seconds: the timestamp of the block before. */
  readonly latestTimestamp: bigint;
  account(address: Uint8Array): AccountState;
  /** The account 320 rounds ago. */
  voter(address: Uint8Array): VoterState;
  /** µAlgo that were online 320 rounds ago and have not expired since. */
  onlineStake(): bigint;
  holding(address: Uint8Array, assetId: bigint): HoldingState | undefined;
  asset(assetId: bigint): AssetState | undefined;
  application(applicationId: bigint): ApplicationState | undefined;
  setBoxAccess(applicationId: bigint, access: BoxAccess): void;
  global(applicationId: bigint, key: Uint8Array): StackValue | undefined;
  /** @throws OpcodeFailure `store integer count a exceeds schema integer count b`; the same with `bytes` */
  setGlobal(applicationId: bigint, key: Uint8Array, value: StackValue | undefined): void;
  isOptedIn(address: Uint8Array, applicationId: bigint): boolean;
  local(address: Uint8Array, applicationId: bigint, key: Uint8Array): StackValue | undefined;
  /** @throws OpcodeFailure as `setGlobal` does */
  setLocal(address: Uint8Array, applicationId: bigint, key: Uint8Array, value: StackValue | undefined): void;
  box(applicationId: bigint, name: Uint8Array): Uint8Array | undefined;
  /** Also keeps the count and bytes of the boxes in the application's account, which is written in any case. */
  setBox(applicationId: bigint, name: Uint8Array, content: Uint8Array | undefined): void;
  /** The canonical msgpack of a transaction. */
  encode(transaction: TransactionFields): Uint8Array;
  /** The bare text of the first rule of form that a transaction breaks. */
  formProblem(transaction: TransactionFields): string | undefined;
  /** The share of the network that an inner transaction uses, in millionths of an ordinary one's. */
  usage(transaction: TransactionFields): bigint;
  /**
   * Performs a member of an inner group, whose sender has been checked: moves the fee, rekeys, counts it, and applies
   * its effect, in which calls run their programs by `group.run`. Notes what happened in the member's effects.
   */
  perform(group: GroupPrograms, index: number): Failure | undefined;
}
