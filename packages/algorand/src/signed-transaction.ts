import { encodeBase32 } from './base32.ts';
import { AlgorandError } from './errors.ts';
import { sha512_256 } from './hash.ts';
import { decodeMsgpack, encodeMsgpack } from './msgpack.ts';
import { MsgpackWriter } from './msgpack-writer.ts';
import type { MultisigSignature, MultisigSubsignature } from './multisig.ts';
import { encodeTransaction, readTransaction, type Transaction, transactionSigningBytes } from './transaction.ts';
import { address, EncodedMsgpack, type FieldKind, fixedBytes, optional, required, smallInteger } from './wire-field.ts';
import { assertCanonical, encodeRecord, nestedRecord, readRecord, wireRecord } from './wire-record.ts';

/** A transaction with its authorization: one kind of signature, or none yet. */
export interface SignedTransaction {
  readonly txn: Transaction;
  /** 64 bytes. */
  readonly signature?: Uint8Array;
  readonly multisig?: MultisigSignature;
  /** The msgpack of a logic signature, unchanged: programs are not examined here. */
  readonly logicSignature?: Uint8Array;
  /** The msgpack of a post-quantum (Falcon) signature, unchanged: only the chain verifies it. */
  readonly pqSignature?: Uint8Array;
  /** The address that signed, when the sender is rekeyed to it. */
  readonly authAddress?: string;
}

const transactionKind: FieldKind<Transaction> = {
  toWire: (value) =>
    value instanceof EncodedMsgpack ? value : new EncodedMsgpack(encodeTransaction(value as Transaction)),
  fromWire: readTransaction,
};

/** Any map of canonical msgpack. */
const encodedMapKind: FieldKind<Uint8Array> = {
  toWire(value) {
    if (!(value instanceof Uint8Array)) throw new AlgorandError('invalid_transaction', 'it must be msgpack');
    return new EncodedMsgpack(value);
  },
  fromWire: (value) => (value instanceof Map ? encodeMsgpack(value) : undefined),
};

const SUBSIGNATURE = wireRecord<MultisigSubsignature>('multisig key', {
  publicKey: required('pk', fixedBytes(32), () => new Uint8Array(32)),
  signature: optional('s', fixedBytes(64)),
});

const subsignaturesKind: FieldKind<readonly MultisigSubsignature[]> = {
  toWire(value) {
    if (!Array.isArray(value)) throw new AlgorandError('invalid_transaction', 'it must be a list');
    if (value.length === 0) return undefined;
    const writer = new MsgpackWriter().arrayHeader(value.length);
    for (const subsignature of value) writer.raw(encodeRecord(SUBSIGNATURE, subsignature));
    return new EncodedMsgpack(writer.toBytes());
  },
  fromWire: (value) => (Array.isArray(value) ? value.map((item) => readRecord(SUBSIGNATURE, item)) : undefined),
};

const MULTISIG = wireRecord<MultisigSignature>('multisig', {
  version: required('v', smallInteger(255), () => 0),
  threshold: required('thr', smallInteger(255), () => 0),
  subsignatures: required('subsig', subsignaturesKind, () => []),
});

const SIGNED_TRANSACTION = wireRecord<SignedTransaction>('signed transaction', {
  txn: required('txn', transactionKind, missingTransaction),
  signature: optional('sig', fixedBytes(64)),
  multisig: optional('msig', nestedRecord(MULTISIG)),
  logicSignature: optional('lsig', encodedMapKind),
  pqSignature: optional('pqsig', encodedMapKind),
  authAddress: optional('sgnr', address),
});

function missingTransaction(): never {
  throw new AlgorandError('invalid_transaction', 'a signed transaction must have a txn', { field: 'txn' });
}

/**
 * The canonical msgpack of a signed transaction, as algod accepts it.
 * @throws AlgorandError `invalid_transaction`
 */
export function encodeSignedTransaction(signed: SignedTransaction): Uint8Array {
  return encodeRecord(SIGNED_TRANSACTION, signed);
}

/**
 * Like `encodeSignedTransaction`, for a transaction that is canonical msgpack already.
 * @throws AlgorandError `invalid_transaction`
 */
export function encodeAuthorized(encoded: Uint8Array, authorization: Omit<SignedTransaction, 'txn'>): Uint8Array {
  return encodeRecord(SIGNED_TRANSACTION, { ...authorization, txn: new EncodedMsgpack(encoded) });
}

/**
 * Reads the canonical msgpack of a signed transaction, and nothing else (see `decodeTransaction`). Signatures are not
 * verified.
 * @throws AlgorandError `invalid_msgpack`, `invalid_transaction`, `unknown_field`, `not_canonical`,
 * `unsupported_transaction_type`
 */
export function decodeSignedTransaction(bytes: Uint8Array): SignedTransaction {
  const signed = readRecord(SIGNED_TRANSACTION, decodeMsgpack(bytes));
  assertCanonical('signed transaction', bytes, encodeSignedTransaction(signed));
  return signed;
}

/** A member of a group, with values computed from its bytes. */
export interface DecodedMember {
  readonly signed: SignedTransaction;
  readonly txId: string;
  /** The bytes that its signature signs, see `transactionSigningBytes`. */
  readonly signingBytes: Uint8Array;
}

/**
 * Reads the canonical msgpack of a signed transaction or of a bare one, which has no authorization.
 * @throws as `decodeSignedTransaction` and `decodeTransaction`
 */
export function decodeMember(bytes: Uint8Array): DecodedMember {
  const value = decodeMsgpack(bytes);
  const isSigned = value instanceof Map && value.has('txn');
  const signed = isSigned ? readRecord(SIGNED_TRANSACTION, value) : { txn: readTransaction(value) };
  const { txn, ...authorization } = signed;
  const encoded = encodeTransaction(txn);
  if (isSigned) assertCanonical('signed transaction', bytes, encodeAuthorized(encoded, authorization));
  else assertCanonical('transaction', bytes, encoded);
  const signingBytes = transactionSigningBytes(encoded);
  return { signed, txId: encodeBase32(sha512_256(signingBytes)), signingBytes };
}
