import { NO_BYTES } from './stack-value.ts';

export const ZERO_32: Uint8Array = new Uint8Array(32);
export const ZERO_64: Uint8Array = new Uint8Array(64);
const NO_STATE = { uints: 0n, byteSlices: 0n };

/** A transaction without any field set: missing fields are zero, false or empty; addresses are 32 bytes. */
export const BLANK_TRANSACTION = {
  type: '',
  sender: ZERO_32,
  fee: 0n,
  firstValid: 0n,
  lastValid: 0n,
  note: NO_BYTES,
  group: ZERO_32,
  lease: ZERO_32,
  rekeyTo: ZERO_32,
  receiver: ZERO_32,
  amount: 0n,
  closeRemainderTo: ZERO_32,
  voteKey: ZERO_32,
  selectionKey: ZERO_32,
  stateProofKey: ZERO_64,
  voteFirstValid: 0n,
  voteLastValid: 0n,
  voteKeyDilution: 0n,
  nonparticipation: false,
  transferAsset: 0n,
  assetAmount: 0n,
  assetSender: ZERO_32,
  assetReceiver: ZERO_32,
  assetCloseTo: ZERO_32,
  configAsset: 0n,
  assetParams: {
    total: 0n,
    decimals: 0,
    defaultFrozen: false,
    unitName: NO_BYTES,
    name: NO_BYTES,
    url: NO_BYTES,
    metadataHash: ZERO_32,
    manager: ZERO_32,
    reserve: ZERO_32,
    freeze: ZERO_32,
    clawback: ZERO_32,
  },
  freezeAsset: 0n,
  freezeAccount: ZERO_32,
  assetFrozen: false,
  applicationId: 0n,
  onCompletion: 0n,
  applicationArgs: undefined as readonly Uint8Array[] | undefined,
  accounts: undefined as readonly Uint8Array[] | undefined,
  foreignAssets: undefined as readonly bigint[] | undefined,
  foreignApps: undefined as readonly bigint[] | undefined,
  access: undefined as readonly ResourceReference[] | undefined,
  boxes: undefined as readonly BoxReference[] | undefined,
  localStateSchema: NO_STATE,
  globalStateSchema: NO_STATE,
  approvalProgram: NO_BYTES,
  clearStateProgram: NO_BYTES,
  extraProgramPages: 0,
  rejectVersion: 0n,
};

/** The fields of a transaction that a program may read, whatever its type. */
export type TransactionFields = Readonly<typeof BLANK_TRANSACTION>;
export type AssetParameterFields = Readonly<TransactionFields['assetParams']>;
export type StateSchemaFields = Readonly<TransactionFields['globalStateSchema']>;

/** A box of an application: 0 is the called one; other numbers count from 1 in the list that the box is named beside. */
export interface BoxReference {
  readonly index: bigint;
  /** Undefined: none is given. With index 0 the entry then names no box and only adds to the budget. */
  readonly name: Uint8Array | undefined;
}

/** An entry of an access list. All but one of its parts are zero, and numbers count from 1 in the list itself. */
export interface ResourceReference {
  readonly address: Uint8Array;
  readonly asset: bigint;
  readonly application: bigint;
  readonly holding: { readonly address: bigint; readonly asset: bigint };
  readonly locals: { readonly address: bigint; readonly application: bigint };
  readonly box: BoxReference;
}

/** Kinds of application calls, by their numbers. */
export const ON_COMPLETION = { noOp: 0n, optIn: 1n, closeOut: 2n, clearState: 3n, update: 4n, delete: 5n } as const;

/** A transaction in its group. */
export interface GroupTransaction {
  readonly txId: Uint8Array;
  readonly transaction: TransactionFields;
}
