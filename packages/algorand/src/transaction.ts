import { concatBytes } from '@noble/hashes/utils.js';
import { ZERO_ADDRESS } from './address.ts';
import { encodeBase32 } from './base32.ts';
import { AlgorandError } from './errors.ts';
import { sha512_256 } from './hash.ts';
import { decodeMsgpack, type MsgpackValue } from './msgpack.ts';
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
import {
  assertCanonical,
  encodeRecord,
  nestedRecord,
  readRecord,
  type WireFields,
  type WireRecord,
  wireRecord,
} from './wire-record.ts';

/** The most rounds from first to last valid (algod: MaxTxnLife). */
export const MAX_WINDOW_ROUNDS = 1000n;

/**
 * The fields of every transaction. Addresses are 58-character strings, fees and amounts are in µAlgo or in an asset's
 * atomic units, rounds are block numbers. A zero value and an absent one are the same on the wire.
 */
export interface TransactionHeader {
  readonly sender: string;
  /** µAlgo. */
  readonly fee: bigint;
  /** First and last round in which the transaction may be confirmed; at most {@link MAX_WINDOW_ROUNDS} apart. */
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  readonly genesisId?: string;
  /** 32 bytes; all zero if a decoded transaction has none (no current network accepts that). */
  readonly genesisHash: Uint8Array;
  readonly note?: Uint8Array;
  /** 32 bytes. Until `lastValid`, no second transaction of this sender with this lease is confirmed. */
  readonly lease?: Uint8Array;
  /** 32 bytes, see group.ts. */
  readonly group?: Uint8Array;
  /** After this transaction only this address can sign for the sender. */
  readonly rekeyTo?: string;
}

/** Moves µAlgo; with `closeRemainderTo` it also moves the whole rest there and closes the account. */
export interface PaymentTransaction extends TransactionHeader {
  readonly type: 'pay';
  readonly receiver: string;
  /** µAlgo. */
  readonly amount: bigint;
  readonly closeRemainderTo?: string;
}

/** Moves an asset: with `assetSender` from another account (clawback), with `assetCloseTo` also the whole rest. */
export interface AssetTransferTransaction extends TransactionHeader {
  readonly type: 'axfer';
  readonly assetId: bigint;
  /** The asset's atomic units. */
  readonly amount: bigint;
  readonly receiver: string;
  readonly assetSender?: string;
  readonly assetCloseTo?: string;
}

/** The values that the creator of an asset sets. */
export interface AssetParameters {
  /** Atomic units in existence. */
  readonly total?: bigint;
  /** Decimal places of the displayed unit, at most 19. */
  readonly decimals?: number;
  readonly defaultFrozen?: boolean;
  readonly unitName?: string;
  readonly assetName?: string;
  readonly url?: string;
  /** 32 bytes. */
  readonly metadataHash?: Uint8Array;
  readonly manager?: string;
  readonly reserve?: string;
  readonly freeze?: string;
  readonly clawback?: string;
}

/** Creates an asset (`assetId` 0), changes its roles, or destroys it (no `parameters`). */
export interface AssetConfigTransaction extends TransactionHeader {
  readonly type: 'acfg';
  readonly assetId: bigint;
  readonly parameters?: AssetParameters;
}

/** Freezes or unfreezes one account's holding of an asset. */
export interface AssetFreezeTransaction extends TransactionHeader {
  readonly type: 'afrz';
  readonly assetId: bigint;
  readonly freezeAccount: string;
  readonly frozen: boolean;
}

/** Takes an account online (all keys given), offline (none given) or permanently out of participation. */
export interface KeyRegistrationTransaction extends TransactionHeader {
  readonly type: 'keyreg';
  /** 32 bytes. */
  readonly voteKey?: Uint8Array;
  /** 32 bytes. */
  readonly selectionKey?: Uint8Array;
  /** 64 bytes. */
  readonly stateProofKey?: Uint8Array;
  readonly voteFirst?: bigint;
  readonly voteLast?: bigint;
  readonly voteKeyDilution?: bigint;
  readonly nonParticipation?: boolean;
}

export type Transaction =
  | PaymentTransaction
  | AssetTransferTransaction
  | AssetConfigTransaction
  | AssetFreezeTransaction
  | KeyRegistrationTransaction;

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

const SIGNING_PREFIX = new TextEncoder().encode('TX');

/**
 * The canonical msgpack of a transaction, which is hashed, signed and sent.
 * @throws AlgorandError `invalid_transaction` (names the property), `unsupported_transaction_type`
 */
export function encodeTransaction(transaction: Transaction): Uint8Array {
  return encodeAs(transaction.type, transaction);
}

/**
 * Reads the canonical msgpack of a transaction, and nothing else. A transaction is accepted only if encoding it again
 * gives the same bytes, so that no two spellings share a meaning and no field goes unseen.
 * @throws AlgorandError `invalid_msgpack`, `invalid_transaction`, `unknown_field` (named in `.field`), `not_canonical`,
 * `unsupported_transaction_type`
 */
export function decodeTransaction(encoded: Uint8Array): Transaction {
  const transaction = readTransaction(decodeMsgpack(encoded));
  assertCanonical('transaction', encoded, encodeTransaction(transaction));
  return transaction;
}

/** The TxID (52 characters of base32): SHA-512/256 of "TX" and the transaction, given as an object or encoded. */
export function transactionId(transaction: Transaction | Uint8Array): string {
  return encodeBase32(transactionDigest(transaction));
}

/** The 32 bytes behind a TxID. */
export function transactionDigest(transaction: Transaction | Uint8Array): Uint8Array {
  return sha512_256(transactionSigningBytes(transaction));
}

/** The message that a signature of a transaction signs: "TX" and the canonical transaction. */
export function transactionSigningBytes(transaction: Transaction | Uint8Array): Uint8Array {
  const encoded = transaction instanceof Uint8Array ? transaction : encodeTransaction(transaction);
  return concatBytes(SIGNING_PREFIX, encoded);
}

function encodeAs<K extends TransactionType>(type: K, transaction: TransactionTypes[K]): Uint8Array {
  return encodeRecord(RECORDS[supported(type)], transaction);
}

/** The transaction in a decoded map; whether it is canonical is not checked here. */
export function readTransaction(value: MsgpackValue): Transaction {
  const type = value instanceof Map ? value.get('type') : undefined;
  if (typeof type !== 'string')
    throw new AlgorandError('invalid_transaction', 'a transaction must be a map with a type');
  return readRecord<Transaction>(RECORDS[supported(type)], value);
}

/** Returns the type if it is supported. */
function supported<K extends string>(type: K): K & TransactionType {
  if (isSupported(type)) return type;
  const known = Object.keys(RECORDS).join(', ');
  const message = `transactions of type ${JSON.stringify(type)} are not supported, only ${known}`;
  throw new AlgorandError('unsupported_transaction_type', message, { field: 'type' });
}

function isSupported<K extends string>(type: K): type is K & TransactionType {
  return Object.hasOwn(RECORDS, type);
}
