import { ZERO_ADDRESS } from './address.ts';
import { AlgorandError } from './errors.ts';
import type { MsgpackValue } from './msgpack.ts';
import type { AssetParameters, Transaction, TransactionHeader } from './transaction.ts';
import {
  address,
  bytes,
  fixedBytes,
  flag,
  optional,
  required,
  type RequiredField,
  smallInteger,
  text,
  uint64,
} from './wire-field.ts';
import { encodeRecord, nestedRecord, readRecord, type WireFields, type WireRecord, wireRecord } from './wire-record.ts';

type TransactionTypes = { readonly [T in Transaction as T['type']]: T };
type TransactionType = keyof TransactionTypes;

const noAddress = (): string => ZERO_ADDRESS;
const zero = (): bigint => 0n;

const HEADER: WireFields<TransactionHeader> = {
  sender: required('snd', address, noAddress),
  fee: required('fee', uint64, zero),
  firstValid: required('fv', uint64, zero),
  lastValid: required('lv', uint64, zero),
  genesisId: optional('gen', text),
  genesisHash: required('gh', fixedBytes(32), () => new Uint8Array(32)),
  note: optional('note', bytes),
  lease: optional('lx', fixedBytes(32)),
  group: optional('grp', fixedBytes(32)),
  rekeyTo: optional('rekey', address),
};

const ASSET_PARAMETERS = wireRecord<AssetParameters>('set of asset parameters', {
  total: optional('t', uint64),
  decimals: optional('dc', smallInteger(0xffff_ffff)),
  defaultFrozen: optional('df', flag),
  unitName: optional('un', text),
  assetName: optional('an', text),
  url: optional('au', text),
  metadataHash: optional('am', fixedBytes(32)),
  manager: optional('m', address),
  reserve: optional('r', address),
  freeze: optional('f', address),
  clawback: optional('c', address),
});

/** The wire form of each transaction type (go-algorand data/transactions: names of the `codec` tags). */
const RECORDS: { readonly [K in TransactionType]: WireRecord<TransactionTypes[K]> } = {
  pay: wireRecord<TransactionTypes['pay']>('pay transaction', {
    ...HEADER,
    type: typeField('pay'),
    receiver: required('rcv', address, noAddress),
    amount: required('amt', uint64, zero),
    closeRemainderTo: optional('close', address),
  }),
  axfer: wireRecord<TransactionTypes['axfer']>('axfer transaction', {
    ...HEADER,
    type: typeField('axfer'),
    assetId: required('xaid', uint64, zero),
    amount: required('aamt', uint64, zero),
    receiver: required('arcv', address, noAddress),
    assetSender: optional('asnd', address),
    assetCloseTo: optional('aclose', address),
  }),
  acfg: wireRecord<TransactionTypes['acfg']>('acfg transaction', {
    ...HEADER,
    type: typeField('acfg'),
    assetId: required('caid', uint64, zero),
    parameters: optional('apar', nestedRecord(ASSET_PARAMETERS)),
  }),
  afrz: wireRecord<TransactionTypes['afrz']>('afrz transaction', {
    ...HEADER,
    type: typeField('afrz'),
    assetId: required('faid', uint64, zero),
    freezeAccount: required('fadd', address, noAddress),
    frozen: required('afrz', flag, () => false),
  }),
  keyreg: wireRecord<TransactionTypes['keyreg']>('keyreg transaction', {
    ...HEADER,
    type: typeField('keyreg'),
    voteKey: optional('votekey', fixedBytes(32)),
    selectionKey: optional('selkey', fixedBytes(32)),
    stateProofKey: optional('sprfkey', fixedBytes(64)),
    voteFirst: optional('votefst', uint64),
    voteLast: optional('votelst', uint64),
    voteKeyDilution: optional('votekd', uint64),
    nonParticipation: optional('nonpart', flag),
  }),
};

function typeField<K extends TransactionType>(type: K): RequiredField<K> {
  return required('type', { ...text, fromWire: (value) => (value === type ? type : undefined) }, () => type);
}

/**
 * Canonical bytes of a transaction.
 * @throws AlgorandError `invalid_transaction`, `unsupported_transaction_type`
 */
export function encodeTransactionRecord(transaction: Transaction): Uint8Array {
  return encodeAs(transaction.type, transaction);
}

function encodeAs<K extends TransactionType>(type: K, transaction: TransactionTypes[K]): Uint8Array {
  return encodeRecord(RECORDS[supported(type)], transaction);
}

/** The transaction in a decoded map, not yet known to be canonical. */
export function readTransactionRecord(value: MsgpackValue): Transaction {
  const type = value instanceof Map ? value.get('type') : undefined;
  if (typeof type !== 'string')
    throw new AlgorandError('invalid_transaction', 'a transaction must be a map with a type');
  return readRecord<Transaction>(RECORDS[supported(type)], value);
}

/** The same type, if it is one of those that are supported. */
function supported<K extends string>(type: K): K & TransactionType {
  if (isSupported(type)) return type;
  const known = Object.keys(RECORDS).join(', ');
  const message = `transactions of type ${JSON.stringify(type)} are not supported, only ${known}`;
  throw new AlgorandError('unsupported_transaction_type', message, { field: 'type' });
}

function isSupported<K extends string>(type: K): type is K & TransactionType {
  return Object.hasOwn(RECORDS, type);
}
