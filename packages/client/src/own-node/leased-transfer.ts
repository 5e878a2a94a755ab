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

/** A lease, in base64, and the account that holds it. */
export interface HeldLease {
  readonly lease: string;
  readonly payer: string;
  /** The least last valid round of its transfer. Default: any. */
  readonly until?: bigint;
}

/**
 * Finds the transfer in a block that took a lease, such as the one that settles an `upto` payment. No other transfer of
 * its payer can have that lease until its last valid round.
 */
export async function leasedTransfer(
  { lease, payer, until = 0n }: HeldLease,
  round: bigint,
  algod: AlgodClient,
  options: RequestOptions,
): Promise<Charge | undefined> {
  const transactions = membersOf(await algod.block(round, options)).map((member) => fieldOf(member, 'txn'));
  const [held, sender] = [decodeBase64(lease), parseAddress(payer)];
  const isIt = (txn: unknown): boolean =>
    fieldOf(txn, 'type') === 'axfer' &&
    isBytes(fieldOf(txn, 'lx'), held) &&
    isBytes(fieldOf(txn, 'snd'), sender) &&
    (integerOf(fieldOf(txn, 'lv')) ?? 0n) >= until;
  const index = transactions.findIndex(isIt);
  if (index === -1) return undefined;
  const amount = integerOf(fieldOf(transactions[index], 'aamt') ?? 0n);
  const txId = (await algod.blockTransactionIds(round, options))[index];
  if (txId === undefined || amount === undefined) {
    throw new TypeError(`block ${round} is not one of algod's`);
  }
  return { txId, amount };
}
