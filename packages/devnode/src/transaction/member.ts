import { encodeBase32 } from '@avm402/algorand/base32';
import { sha512_256 } from '@avm402/algorand/hash';
import { encodeWithPrefix } from '../codec/document.ts';
import { isAllZero } from '../codec/bytes.ts';
import { addressKey } from './address-key.ts';
import type { SignedTransaction } from '../codec/schema/signed-transaction.ts';
import { transaction as transactionSchema, type Transaction } from '../codec/schema/transaction.ts';

const PREFIX = Buffer.from('TX');

/** A signed transaction of a submitted group, with values that are computed from it once. */
export interface GroupMember {
  readonly signed: SignedTransaction;
  readonly transaction: Transaction;
  /** `TX` and the canonical transaction: the bytes that are signed, and whose hash is the id. */
  readonly message: Uint8Array;
  readonly txId: Uint8Array;
  /** The id as a map key. */
  readonly key: string;
}

export function groupMember(signed: SignedTransaction): GroupMember {
  const { transaction } = signed;
  const message = signingMessage(transaction);
  const txId = sha512_256(message);
  return { signed, transaction, message, txId, key: addressKey(txId) };
}

/** The bytes that a transaction's signature signs. */
export function signingMessage(transaction: Transaction): Uint8Array {
  return encodeWithPrefix(PREFIX, transactionSchema, transaction);
}

/** A transaction id (or any other hash) in base32 without padding. */
export function idText(id: Uint8Array): string {
  return encodeBase32(id);
}

/** The account whose authority a transaction claims: the sender, or the one that `sgnr` names. */
export function authorizerOf({ authAddress, transaction }: SignedTransaction): Uint8Array {
  return isAllZero(authAddress) ? transaction.sender : authAddress;
}
