/** A whole number; text where the console's server sends numbers that JSON can't hold exactly. */
export type Units = number | bigint | string;

/** The types of a value in a state. */
export const [BYTES, INTEGER] = [1, 2];

/** A transaction in algod's JSON: fields have their wire names, and fields that are zero are absent. */
export interface WireTransaction {
  readonly type: string;
  readonly snd: string;
  readonly fee?: Units;
  readonly fv?: number;
  readonly lv?: number;
  readonly grp?: string;
  readonly note?: string;
  readonly lx?: string;
  readonly rekey?: string;
  /** Of a payment. */
  readonly rcv?: string;
  readonly amt?: Units;
  readonly close?: string;
  /** Of an asset transfer. */
  readonly arcv?: string;
  readonly aamt?: Units;
  readonly xaid?: Units;
  readonly aclose?: string;
  /** Whom a clawback takes from. */
  readonly asnd?: string;
  /** Of an application call. */
  readonly apid?: Units;
}

/** The signature: exactly one of these, or none in a block that a control made. */
interface Signatures {
  readonly sig?: string;
  readonly msig?: object;
  readonly lsig?: { readonly l: string };
  readonly sgnr?: string;
}

export interface SignedWireTransaction extends Signatures {
  readonly txn: WireTransaction;
}

export interface BlockAnswer {
  readonly block: {
    readonly ts?: number;
    readonly prev?: string;
    readonly proto?: string;
    readonly txns?: readonly SignedWireTransaction[];
  };
}

export interface BlockIdsAnswer {
  readonly blockTxids?: readonly string[];
}

/** A value that an application wrote under a key: 1 is bytes, 2 an integer, 3 says that the key went. */
interface KeyDelta {
  readonly key: string;
  readonly value: { readonly action: number; readonly bytes?: string; readonly uint?: Units };
}

/** A key of an application's state with its value: type 1 is bytes, 2 an integer. */
export interface KeyValue {
  readonly key: string;
  readonly value: { readonly type: number; readonly bytes: string; readonly uint: Units };
}

export interface PendingAnswer {
  readonly 'confirmed-round'?: number;
  readonly 'pool-error'?: string;
  readonly 'application-index'?: number;
  readonly logs?: readonly string[];
  readonly 'inner-txns'?: readonly PendingAnswer[];
  readonly 'global-state-delta'?: readonly KeyDelta[];
  readonly 'local-state-delta'?: readonly { readonly address: string; readonly delta: readonly KeyDelta[] }[];
  readonly txn: SignedWireTransaction;
}

export interface StatusAnswer {
  readonly 'last-round': number;
}

export interface AccountAnswer {
  readonly address: string;
  readonly amount: number | bigint;
  readonly 'min-balance': number;
  readonly 'auth-addr'?: string;
  readonly round: number;
  readonly assets?: readonly {
    readonly 'asset-id': number;
    readonly amount: number | bigint;
    readonly 'is-frozen': boolean;
  }[];
  readonly 'created-assets'?: readonly { readonly index: number }[];
  readonly 'created-apps'?: readonly { readonly id: number }[];
  readonly 'apps-local-state'?: readonly { readonly id: number; readonly 'key-value'?: readonly KeyValue[] }[];
}

export interface AssetAnswer {
  readonly index: number;
  readonly params: {
    readonly name?: string;
    readonly 'unit-name'?: string;
    readonly decimals: number;
    readonly total: number | bigint;
    readonly creator: string;
    readonly manager?: string;
    readonly reserve?: string;
    readonly freeze?: string;
    readonly clawback?: string;
  };
}

/** How a transaction was signed, in words. */
export function signedBy({ sig, msig, lsig, sgnr }: Signatures): string {
  const how = sig ? 'a signature' : msig ? 'a multisig' : lsig ? 'a program' : 'nobody';
  return sgnr ? `${how} of another key` : how;
}
