import type { AlgodClient, RequestOptions } from '@avm402/algorand/algod';
import { parseAddress } from '@avm402/algorand/address';
import { decodeBase64 } from '@avm402/algorand/base64';
import { fieldOf, integerOf, isBytes, membersOf } from './block-record.ts';

/** The charge of an `upto` payment. */
export interface Charge {
  /** TxID of the transfer. */
  readonly txId: string;
  /** Atomic units. */
  readonly amount: bigint;
}

export interface LeasedTransfer extends Charge {
  readonly lastValid: bigint;
}

/** A lease, in base64, and the account that holds it. */
export interface HeldLease {
  readonly lease: string;
  readonly payer: string;
}

/**
 * Finds the transfer in a block that took a lease, such as the one that settles an `upto` payment. No other transfer of
 * its payer can have that lease until its last valid round.
 */
export async function leasedTransfer(
  { lease, payer }: HeldLease,
  round: bigint,
  algod: AlgodClient,
  options: RequestOptions,
): Promise<LeasedTransfer | undefined> {
  const transactions = membersOf(await algod.block(round, options)).map((member) => fieldOf(member, 'txn'));
  const [held, sender] = [decodeBase64(lease), parseAddress(payer)];
  const isIt = (txn: unknown): boolean =>
    fieldOf(txn, 'type') === 'axfer' && isBytes(fieldOf(txn, 'lx'), held) && isBytes(fieldOf(txn, 'snd'), sender);
  const index = transactions.findIndex(isIt);
  if (index === -1) return undefined;
  const [amount, lastValid] = [fieldOf(transactions[index], 'aamt') ?? 0n, fieldOf(transactions[index], 'lv')].map(
    integerOf,
  );
  const txId = (await algod.blockTransactionIds(round, options))[index];
  if (txId === undefined || amount === undefined || lastValid === undefined) {
    throw new TypeError(`block ${round} is not one of algod's`);
  }
  return { txId, amount, lastValid };
}
