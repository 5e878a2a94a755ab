import { decodeBase64 } from '@avm402/algorand/base64';
import { MAX_GROUP_SIZE } from '@avm402/algorand/group';
import { decodeSignedTransaction } from '@avm402/algorand/signed-transaction';
import { decodeTransaction, transactionId } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';

/** A member of a group as a wallet is given it (ARC-1): base64 of its msgpack. */
export interface WalletMember {
  readonly txn: string;
  /** Empty if the wallet does not sign it. */
  readonly signers?: string[];
  /** The signed transaction, if it needs no wallet: a program signs it. */
  readonly stxn?: string;
}

/**
 * Reads a group that `avm402 mandate … --unsigned` wrote.
 * @throws X402Error `invalid_arguments`
 */
export function parseWalletGroup(value: unknown): WalletMember[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_GROUP_SIZE) {
    throw invalid("this is not a JSON list of a group's members");
  }
  return value.map((member: unknown, index) => {
    const { txn, signers, stxn }: { readonly txn?: unknown; readonly signers?: unknown; readonly stxn?: unknown } =
      Object(member);
    if (typeof txn !== 'string' || idOf(txn) === undefined)
      throw invalid(`member ${index} of the group is not a transaction`);
    return {
      txn,
      ...(Array.isArray(signers) && { signers: signers.map(String) }),
      ...(typeof stxn === 'string' && { stxn }),
    };
  });
}

/**
 * The signed members of a group, in base64: those that a wallet has signed, and those that need none.
 * @param answers - the wallet's signed transactions in base64; anything else for members that it did not sign
 * @throws X402Error `invalid_arguments` unless each is the transaction that the group has in its place
 */
export function signedGroup(group: readonly WalletMember[], answers: readonly unknown[]): string[] {
  return group.map(({ txn, stxn }, index) => {
    const signed = stxn ?? answers[index];
    if (typeof signed !== 'string') throw invalid(`the wallet did not sign member ${index} of the group`);
    if (signedId(signed) === idOf(txn)) return signed;
    throw invalid(`what the wallet signed is not member ${index} of the group`);
  });
}

function idOf(txn: string): string | undefined {
  return unlessMalformed(() => transactionId(decodeTransaction(decodeBase64(txn) ?? new Uint8Array())));
}

function signedId(stxn: string): string | undefined {
  return unlessMalformed(() => transactionId(decodeSignedTransaction(decodeBase64(stxn) ?? new Uint8Array()).txn));
}

function unlessMalformed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function invalid(message: string): X402Error {
  return new X402Error('invalid_arguments', { message });
}
