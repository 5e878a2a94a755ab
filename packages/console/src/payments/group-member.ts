import { formatAddress, ZERO_ADDRESS } from '@avm402/algorand/address';
import { encodeBase64 } from '@avm402/algorand/base64';
import { decodeMsgpack, type MsgpackValue } from '@avm402/algorand/msgpack';
import type { SignedWireTransaction } from '../node-answers.ts';

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
  const signed = jsonValue(isSigned ? value : new Map([['txn', value]])) as SignedWireTransaction;
  // A stranger may report one from the address of zeros, which is not written.
  return { ...signed, txn: Object.assign({ snd: ZERO_ADDRESS }, signed.txn) };
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
