import { sameBytes, isAllZero } from '../codec/bytes.ts';
import { encode } from '../codec/document.ts';
import { MsgpackSource } from '../codec/msgpack-source.ts';
import { signedTransaction } from '../codec/schema/signed-transaction.ts';
import { isTransactionType, transaction as transactionSchema, type Transaction } from '../codec/schema/transaction.ts';
import { EndOfInput } from '../codec/source.ts';
import { DevnodeError, refused } from '../errors.ts';
import { signingMessage } from '../transaction/member.ts';
import { PROGRAM_PREFIX } from '../verify/logic-signature.ts';
import type { Wallet } from './wallet.ts';

/** Reads the msgpack of an unsigned transaction; bytes after it are ignored. */
export function decodeTransaction(bytes: Uint8Array): Transaction {
  const transaction = readTransaction(bytes);
  if (transaction !== undefined && isTransactionType(transaction.type)) return transaction;
  throw refused('could not decode transaction');
}

function readTransaction(bytes: Uint8Array): Transaction | undefined {
  try {
    return transactionSchema.read(new MsgpackSource(bytes), transactionSchema.zero);
  } catch (error) {
    if (error instanceof EndOfInput || error instanceof DevnodeError) return undefined;
    throw error;
  }
}

export interface TransactionSigning {
  readonly transaction: Transaction;
  /** The key that signs. All zero: the sender's. */
  readonly publicKey: Uint8Array;
  readonly password: string;
}

/** Signs a transaction; gives its msgpack with the signature, and with `sgnr` if the key is not the sender's. */
export function signTransaction(wallet: Wallet, { transaction, publicKey, password }: TransactionSigning): Uint8Array {
  wallet.checkPassword(password);
  const signer = wallet.signer(isAllZero(publicKey) ? transaction.sender : publicKey);
  const isOther = !sameBytes(signer.publicKey, transaction.sender);
  const signed = signedTransaction.of({
    signature: signer.sign(signingMessage(transaction)),
    transaction,
    ...(isOther && { authAddress: signer.publicKey }),
  });
  return encode(signedTransaction, signed);
}

/** The bytes that an account's signature of a program signs. */
export function programMessage(program: Uint8Array): Uint8Array {
  return Buffer.concat([PROGRAM_PREFIX, program]);
}

/** Signs a program with a key of the wallet. */
export function signProgram(
  wallet: Wallet,
  {
    publicKey,
    program,
    password,
  }: { readonly publicKey: Uint8Array; readonly program: Uint8Array; readonly password: string },
): Uint8Array {
  wallet.checkPassword(password);
  return wallet.signer(publicKey).sign(programMessage(program));
}
