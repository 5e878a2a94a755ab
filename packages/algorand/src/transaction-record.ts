import { ZERO_ADDRESS } from './address.ts';
import { AlgorandError } from './errors.ts';
import type { MsgpackValue } from './msgpack.ts';
import type { Transaction } from './transaction.ts';
import { address, bytes, fixedBytes, flag, smallInteger, text, uint64, type WireField } from './wire-field.ts';
import { encodeRecord, nestedRecord, readRecord, type WireRecord, wireRecord } from './wire-record.ts';

const HEADER_FIELDS: readonly WireField[] = [
  { key: 'type', property: 'type', kind: text },
  { key: 'snd', property: 'sender', kind: address, absent: () => ZERO_ADDRESS },
  { key: 'fee', property: 'fee', kind: uint64, absent: () => 0n },
  { key: 'fv', property: 'firstValid', kind: uint64, absent: () => 0n },
  { key: 'lv', property: 'lastValid', kind: uint64, absent: () => 0n },
  { key: 'gen', property: 'genesisId', kind: text },
  { key: 'gh', property: 'genesisHash', kind: fixedBytes(32), absent: () => new Uint8Array(32) },
  { key: 'note', property: 'note', kind: bytes },
  { key: 'lx', property: 'lease', kind: fixedBytes(32) },
  { key: 'grp', property: 'group', kind: fixedBytes(32) },
  { key: 'rekey', property: 'rekeyTo', kind: address },
];

const ASSET_PARAMETERS = wireRecord('set of asset parameters', [
  { key: 't', property: 'total', kind: uint64 },
  { key: 'dc', property: 'decimals', kind: smallInteger(0xffff_ffff) },
  { key: 'df', property: 'defaultFrozen', kind: flag },
  { key: 'un', property: 'unitName', kind: text },
  { key: 'an', property: 'assetName', kind: text },
  { key: 'au', property: 'url', kind: text },
  { key: 'am', property: 'metadataHash', kind: fixedBytes(32) },
  { key: 'm', property: 'manager', kind: address },
  { key: 'r', property: 'reserve', kind: address },
  { key: 'f', property: 'freeze', kind: address },
  { key: 'c', property: 'clawback', kind: address },
]);

/** The wire form of each transaction type (go-algorand data/transactions: names of the `codec` tags). */
const RECORDS: Readonly<Record<Transaction['type'], WireRecord>> = {
  pay: wireRecord('pay transaction', [
    ...HEADER_FIELDS,
    { key: 'rcv', property: 'receiver', kind: address, absent: () => ZERO_ADDRESS },
    { key: 'amt', property: 'amount', kind: uint64, absent: () => 0n },
    { key: 'close', property: 'closeRemainderTo', kind: address },
  ]),
  axfer: wireRecord('axfer transaction', [
    ...HEADER_FIELDS,
    { key: 'xaid', property: 'assetId', kind: uint64, absent: () => 0n },
    { key: 'aamt', property: 'amount', kind: uint64, absent: () => 0n },
    { key: 'arcv', property: 'receiver', kind: address, absent: () => ZERO_ADDRESS },
    { key: 'asnd', property: 'assetSender', kind: address },
    { key: 'aclose', property: 'assetCloseTo', kind: address },
  ]),
  acfg: wireRecord('acfg transaction', [
    ...HEADER_FIELDS,
    { key: 'caid', property: 'assetId', kind: uint64, absent: () => 0n },
    { key: 'apar', property: 'parameters', kind: nestedRecord(ASSET_PARAMETERS) },
  ]),
  afrz: wireRecord('afrz transaction', [
    ...HEADER_FIELDS,
    { key: 'faid', property: 'assetId', kind: uint64, absent: () => 0n },
    { key: 'fadd', property: 'freezeAccount', kind: address, absent: () => ZERO_ADDRESS },
    { key: 'afrz', property: 'frozen', kind: flag, absent: () => false },
  ]),
  keyreg: wireRecord('keyreg transaction', [
    ...HEADER_FIELDS,
    { key: 'votekey', property: 'voteKey', kind: fixedBytes(32) },
    { key: 'selkey', property: 'selectionKey', kind: fixedBytes(32) },
    { key: 'sprfkey', property: 'stateProofKey', kind: fixedBytes(64) },
    { key: 'votefst', property: 'voteFirst', kind: uint64 },
    { key: 'votelst', property: 'voteLast', kind: uint64 },
    { key: 'votekd', property: 'voteKeyDilution', kind: uint64 },
    { key: 'nonpart', property: 'nonParticipation', kind: flag },
  ]),
};

/** Canonical bytes of a transaction. Throws `invalid_transaction`, `unsupported_transaction_type`. */
export function encodeTransactionRecord(transaction: Transaction): Uint8Array {
  return encodeRecord(recordOf(transaction.type), transaction);
}

/** The transaction in a decoded map, not yet known to be canonical. */
export function readTransactionRecord(value: MsgpackValue): Transaction {
  const type = value instanceof Map ? value.get('type') : undefined;
  if (typeof type !== 'string')
    throw new AlgorandError('invalid_transaction', 'a transaction must be a map with a type');
  // readRecord has checked every field of the type's record, and the record is the type's definition on the wire.
  return readRecord(recordOf(type), value) as unknown as Transaction;
}

function recordOf(type: string): WireRecord {
  if (isSupportedType(type)) return RECORDS[type];
  const supported = Object.keys(RECORDS).join(', ');
  const message = `transactions of type ${JSON.stringify(type)} are not supported, only ${supported}`;
  throw new AlgorandError('unsupported_transaction_type', message, { field: 'type' });
}

function isSupportedType(type: string): type is Transaction['type'] {
  return Object.hasOwn(RECORDS, type);
}
