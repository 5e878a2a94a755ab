import { encodeBase32 } from './base32.ts';
import { sha512_256 } from './hash.ts';
import { decodeMsgpack } from './msgpack.ts';
import { encodeTransactionRecord, readTransactionRecord } from './transaction-record.ts';
import { assertCanonical } from './wire-record.ts';

/** Rounds from first to last valid, at most (algod: MaxTxnLife). */
export const MAX_WINDOW_ROUNDS = 1000n;

/**
 * What every transaction has. Addresses are 58-character strings, fees and amounts are in µAlgo or in an asset's atomic
 * units, rounds are block numbers. A zero value and an absent one are the same on the wire.
 */
export interface TransactionHeader {
  readonly sender: string;
  /** µAlgo. */
  readonly fee: bigint;
  /** First and last round in which the transaction may be confirmed; at most {@link MAX_WINDOW_ROUNDS} apart. */
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  readonly genesisId?: string;
  /** 32 bytes; all zero when a decoded transaction has none (no current network accepts that). */
  readonly genesisHash: Uint8Array;
  readonly note?: Uint8Array;
  /** 32 bytes: no second transaction of this sender with this lease is confirmed before `lastValid`. */
  readonly lease?: Uint8Array;
  /** 32 bytes, see group.ts. */
  readonly group?: Uint8Array;
  /** From now on only this address can sign for the sender. */
  readonly rekeyTo?: string;
}

/** Moves µAlgo; with `closeRemainderTo` it also moves the whole rest there and ends the account. */
export interface PaymentTransaction extends TransactionHeader {
  readonly type: 'pay';
  readonly receiver: string;
  /** µAlgo. */
  readonly amount: bigint;
  readonly closeRemainderTo?: string;
}

/** Moves an asset; from another account with `assetSender` (clawback); the whole rest too with `assetCloseTo`. */
export interface AssetTransferTransaction extends TransactionHeader {
  readonly type: 'axfer';
  readonly assetId: bigint;
  /** The asset's atomic units. */
  readonly amount: bigint;
  readonly receiver: string;
  readonly assetSender?: string;
  readonly assetCloseTo?: string;
}

export interface AssetParameters {
  /** Atomic units in existence. */
  readonly total?: bigint;
  /** Decimal places of the unit that people see, at most 19. */
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

/** Takes an account online (all keys given), offline (none given) or out of participation for ever. */
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

const SIGNING_PREFIX = new TextEncoder().encode('TX');

/**
 * The canonical msgpack of a transaction: what is hashed, signed and sent.
 * @throws AlgorandError `invalid_transaction` (names the property), `unsupported_transaction_type`
 */
export function encodeTransaction(transaction: Transaction): Uint8Array {
  return encodeTransactionRecord(transaction);
}

/**
 * Reads the canonical msgpack of a transaction, and nothing else: a transaction is accepted only if encoding it again
 * gives the same bytes, so that no two spellings share a meaning and no field goes unseen.
 * @throws AlgorandError `invalid_msgpack`, `invalid_transaction`, `unknown_field` (named in `.field`), `not_canonical`,
 * `unsupported_transaction_type`
 */
export function decodeTransaction(bytes: Uint8Array): Transaction {
  const transaction = readTransactionRecord(decodeMsgpack(bytes));
  assertCanonical('transaction', bytes, encodeTransactionRecord(transaction));
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
  const encoded = transaction instanceof Uint8Array ? transaction : encodeTransactionRecord(transaction);
  const message = new Uint8Array(SIGNING_PREFIX.length + encoded.length);
  message.set(SIGNING_PREFIX);
  message.set(encoded, SIGNING_PREFIX.length);
  return message;
}
