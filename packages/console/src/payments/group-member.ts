import { formatAddress } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import { decodeMsgpack, type MsgpackValue } from '@avm402/algorand/msgpack';

/** A whole number; text where JSON can't hold it exactly. */
export type Units = number | bigint | string;

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
  /** The account that a clawback takes from. */
  readonly asnd?: string;
  /** Of an application call. */
  readonly apid?: Units;
}

/** A transaction with exactly one signature, or with none in a block that a control made. */
export interface SignedWireTransaction {
  readonly txn: WireTransaction;
  readonly sig?: string;
  readonly msig?: object;
  readonly lsig?: object;
  readonly sgnr?: string;
}

/** A member of a group, as the page shows it. */
export interface GroupMember {
  /** Its TxID, if it may be on chain. */
  readonly id?: string;
  readonly signed: SignedWireTransaction;
}

/** A signed transaction, or a bare one, in algod's JSON. */
export function wireTransaction(msgpack: Uint8Array): SignedWireTransaction {
  const value = decodeMsgpack(msgpack, { invalidUtf8: 'bytes' });
  const isSigned = value instanceof Map && value.has('txn');
  return jsonValue(isSigned ? value : new Map([['txn', value]])) as SignedWireTransaction;
}

const ADDRESSES = new Set(['snd', 'rcv', 'close', 'arcv', 'asnd', 'aclose', 'rekey', 'sgnr']);

function jsonValue(value: MsgpackValue, name = ''): unknown {
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, one]) => [String(key), jsonValue(one, String(key))]));
  }
  if (value instanceof Uint8Array) return ADDRESSES.has(name) ? formatAddress(value) : encodeBase64(value);
  if (Array.isArray(value)) return value.map((one) => jsonValue(one));
  if (typeof value === 'bigint') return value > Number.MAX_SAFE_INTEGER ? String(value) : Number(value);
  return value;
}
