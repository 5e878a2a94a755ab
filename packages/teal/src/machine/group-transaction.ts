/**
 * The fields of a transaction that a program may read, whatever its type. Missing fields are zero, false or empty;
 * addresses are 32 bytes.
 */
export interface TransactionFields {
  readonly type: string;
  readonly sender: Uint8Array;
  readonly fee: bigint;
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  readonly note: Uint8Array;
  readonly group: Uint8Array;
  readonly lease: Uint8Array;
  readonly rekeyTo: Uint8Array;
  readonly receiver: Uint8Array;
  readonly amount: bigint;
  readonly closeRemainderTo: Uint8Array;
  readonly voteKey: Uint8Array;
  readonly selectionKey: Uint8Array;
  readonly stateProofKey: Uint8Array;
  readonly voteFirstValid: bigint;
  readonly voteLastValid: bigint;
  readonly voteKeyDilution: bigint;
  readonly nonparticipation: boolean;
  readonly transferAsset: bigint;
  readonly assetAmount: bigint;
  readonly assetSender: Uint8Array;
  readonly assetReceiver: Uint8Array;
  readonly assetCloseTo: Uint8Array;
  readonly configAsset: bigint;
  readonly assetParams: AssetParameterFields;
  readonly freezeAsset: bigint;
  readonly freezeAccount: Uint8Array;
  readonly assetFrozen: boolean;
  readonly applicationId: bigint;
  readonly onCompletion: bigint;
  readonly applicationArgs: readonly Uint8Array[] | undefined;
  readonly accounts: readonly Uint8Array[] | undefined;
  readonly foreignAssets: readonly bigint[] | undefined;
  readonly foreignApps: readonly bigint[] | undefined;
  readonly access: readonly ResourceReference[] | undefined;
  readonly boxes: readonly BoxReference[] | undefined;
  readonly localStateSchema: StateSchemaFields;
  readonly globalStateSchema: StateSchemaFields;
  readonly approvalProgram: Uint8Array;
  readonly clearStateProgram: Uint8Array;
  readonly extraProgramPages: number;
  readonly rejectVersion: bigint;
}

export interface AssetParameterFields {
  readonly total: bigint;
  readonly decimals: number;
  readonly defaultFrozen: boolean;
  readonly unitName: Uint8Array;
  readonly name: Uint8Array;
  readonly url: Uint8Array;
  readonly metadataHash: Uint8Array;
  readonly manager: Uint8Array;
  readonly reserve: Uint8Array;
  readonly freeze: Uint8Array;
  readonly clawback: Uint8Array;
}

export interface StateSchemaFields {
  readonly uints: bigint;
  readonly byteSlices: bigint;
}

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
