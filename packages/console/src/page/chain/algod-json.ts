import type { SignedWireTransaction, Units } from '../../payments/group-member.ts';

/** The types of a value in a state. */
export const [BYTES, INTEGER] = [1, 2];

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
