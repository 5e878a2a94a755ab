import { encodeBase32 } from './base32.ts';
import { AlgorandError } from './errors.ts';
import { sha512_256 } from './hash.ts';
import { decodeMsgpack, encodeMsgpack, type MsgpackValue } from './msgpack.ts';
import { MsgpackWriter } from './msgpack-writer.ts';
import type { MultisigSignature } from './multisig.ts';
import { type Transaction, transactionSigningBytes } from './transaction.ts';
import { encodeTransactionRecord, readTransactionRecord } from './transaction-record.ts';
import { address, EncodedMsgpack, type FieldKind, fixedBytes, smallInteger } from './wire-field.ts';
import { assertCanonical, encodeRecord, nestedRecord, readRecord, wireRecord } from './wire-record.ts';

/** A transaction with what authorizes it: one kind of signature, or none yet. */
export interface SignedTransaction {
  readonly txn: Transaction;
  /** 64 bytes. */
  readonly signature?: Uint8Array;
  readonly multisig?: MultisigSignature;
  /** The msgpack of a logic signature, as it is: programs are not looked into here. */
  readonly logicSignature?: Uint8Array;
  /** The address that signed, when the sender is rekeyed to it. */
  readonly authAddress?: string;
}

const transactionKind: FieldKind = {
  toWire: (value) =>
    value instanceof EncodedMsgpack ? value : new EncodedMsgpack(encodeTransactionRecord(value as Transaction)),
  fromWire: readTransactionRecord,
};

/** Any map of canonical msgpack. */
const logicSignatureKind: FieldKind = {
  toWire(value) {
    if (!(value instanceof Uint8Array)) throw new AlgorandError('invalid_transaction', 'it must be msgpack');
    return new EncodedMsgpack(value);
  },
  fromWire: (value) => (value instanceof Map ? encodeMsgpack(value) : undefined),
};

const SUBSIGNATURE = wireRecord('multisig key', [
  { key: 'pk', property: 'publicKey', kind: fixedBytes(32), absent: () => new Uint8Array(32) },
  { key: 's', property: 'signature', kind: fixedBytes(64) },
]);

const subsignaturesKind: FieldKind = {
  toWire(value) {
    if (!Array.isArray(value)) throw new AlgorandError('invalid_transaction', 'it must be a list');
    if (value.length === 0) return undefined;
    const writer = new MsgpackWriter().arrayHeader(value.length);
    for (const subsignature of value) writer.raw(encodeRecord(SUBSIGNATURE, subsignature));
    return new EncodedMsgpack(writer.toBytes());
  },
  fromWire: (value) => (Array.isArray(value) ? value.map((item) => readRecord(SUBSIGNATURE, item)) : undefined),
};

const MULTISIG = wireRecord('multisig', [
  { key: 'v', property: 'version', kind: smallInteger(255), absent: () => 0 },
  { key: 'thr', property: 'threshold', kind: smallInteger(255), absent: () => 0 },
  { key: 'subsig', property: 'subsignatures', kind: subsignaturesKind, absent: () => [] },
]);

const SIGNED_TRANSACTION = wireRecord('signed transaction', [
  { key: 'txn', property: 'txn', kind: transactionKind },
  { key: 'sig', property: 'signature', kind: fixedBytes(64) },
  { key: 'msig', property: 'multisig', kind: nestedRecord(MULTISIG) },
  { key: 'lsig', property: 'logicSignature', kind: logicSignatureKind },
  { key: 'sgnr', property: 'authAddress', kind: address },
]);

/**
 * The canonical msgpack of a signed transaction: what algod takes.
 * @throws AlgorandError `invalid_transaction`
 */
export function encodeSignedTransaction(signed: SignedTransaction): Uint8Array {
  return encodeRecord(SIGNED_TRANSACTION, signed);
}

/**
 * The same of a transaction that is canonical msgpack already.
 * @throws AlgorandError `invalid_transaction`
 */
export function encodeAuthorized(encoded: Uint8Array, authorization: Omit<SignedTransaction, 'txn'>): Uint8Array {
  return encodeRecord(SIGNED_TRANSACTION, { ...authorization, txn: new EncodedMsgpack(encoded) });
}

/**
 * Reads the canonical msgpack of a signed transaction, and nothing else (see `decodeTransaction`). Signatures are read,
 * not verified.
 * @throws AlgorandError `invalid_msgpack`, `invalid_transaction`, `unknown_field`, `not_canonical`,
 * `unsupported_transaction_type`
 */
export function decodeSignedTransaction(bytes: Uint8Array): SignedTransaction {
  const signed = readSigned(decodeMsgpack(bytes));
  assertCanonical('signed transaction', bytes, encodeSignedTransaction(signed));
  return signed;
}

function readSigned(value: MsgpackValue): SignedTransaction {
  const properties = readRecord(SIGNED_TRANSACTION, value);
  if (properties['txn'] === undefined) {
    throw new AlgorandError('invalid_transaction', 'a signed transaction must have a txn', { field: 'txn' });
  }
  // readRecord has checked every property by its kind.
  return properties as unknown as SignedTransaction;
}

/** A transaction as a group holds it, with what follows from its bytes. */
export interface DecodedMember {
  readonly signed: SignedTransaction;
  readonly txId: string;
  /** What a signature of it signs, see `transactionSigningBytes`. */
  readonly signingBytes: Uint8Array;
}

/**
 * Reads the canonical msgpack of a signed transaction or of a bare one, which has no authorization. Errors: as
 * `decodeSignedTransaction` and `decodeTransaction`.
 */
export function decodeMember(bytes: Uint8Array): DecodedMember {
  const value = decodeMsgpack(bytes);
  const isSigned = value instanceof Map && value.has('txn');
  const signed = isSigned ? readSigned(value) : { txn: readTransactionRecord(value) };
  const { txn, ...authorization } = signed;
  const encoded = encodeTransactionRecord(txn);
  if (isSigned) assertCanonical('signed transaction', bytes, encodeAuthorized(encoded, authorization));
  else assertCanonical('transaction', bytes, encoded);
  const signingBytes = transactionSigningBytes(encoded);
  return { signed, txId: encodeBase32(sha512_256(signingBytes)), signingBytes };
}
