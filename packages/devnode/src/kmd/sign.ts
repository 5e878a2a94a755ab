import { addressOr } from '../codec/address-text.ts';
import { sameBytes, isAllZero } from '../codec/bytes.ts';
import { decodedOr, decodeMsgpack } from '../codec/decode.ts';
import type { ValueOf } from '../codec/kind.ts';
import { encode } from '../codec/document.ts';
import { signedTransaction } from '../codec/schema/signed-transaction.ts';
import { isTransactionType, transaction as transactionSchema, type Transaction } from '../codec/schema/transaction.ts';
import { refused } from '../errors.ts';
import { signingMessage } from '../transaction/member.ts';
import { PROGRAM_PREFIX } from '../verify/logic-signature.ts';
import type { request } from './messages.ts';
import type { Wallet } from './wallet.ts';

/** Reads the msgpack of an unsigned transaction; bytes after it are ignored. */
export function decodeTransaction(bytes: Uint8Array): Transaction {
  const problem = 'could not decode transaction';
  const transaction = decodedOr(problem, () => decodeMsgpack(transactionSchema, bytes));
  if (isTransactionType(transaction.type)) return transaction;
  throw refused(problem);
}

/**
 * Signs a transaction, with the sender's key if the public key is all zero; gives its msgpack with the signature, and
 * with `sgnr` if the key is not the sender's.
 */
export function signTransaction(wallet: Wallet, asked: ValueOf<typeof request.signTransaction>): Uint8Array {
  const transaction = decodeTransaction(asked.transaction);
  wallet.checkPassword(asked.password);
  const { publicKey } = asked;
  const signer = wallet.signer(isAllZero(publicKey) ? transaction.sender : publicKey);
  const isOther = !sameBytes(signer.publicKey, transaction.sender);
  const signed = signedTransaction.of({
    signature: signer.sign(signingMessage(transaction)),
    transaction,
    ...(isOther && { authAddress: signer.publicKey }),
  });
  return encode(signedTransaction, signed);
}

export function parseAddress(text: string): Uint8Array {
  return addressOr(text, () => refused('could not decode address'));
}

/** The bytes that an account's signature of a program signs. */
export function programMessage(program: Uint8Array): Uint8Array {
  return Buffer.concat([PROGRAM_PREFIX, program]);
}

/** Signs a program with a key of the wallet. */
export function signProgram(wallet: Wallet, asked: ValueOf<typeof request.signProgram>): Uint8Array {
  const { address, program, password } = asked;
  const publicKey = parseAddress(address);
  wallet.checkPassword(password);
  return wallet.signer(publicKey).sign(programMessage(program));
}
