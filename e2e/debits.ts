import { formatAddress } from '@avm402/algorand/address';
import type { AlgodClient } from '@avm402/algorand/algod';

/** Money that a payer lost, as a block says. */
export interface Debit {
  readonly txId: string;
  readonly round: bigint;
  readonly payer: string;
  readonly receiver: string;
  readonly assetId: bigint;
  /** Atomic units. */
  readonly amount: bigint;
}

/** All asset transfers that the node's blocks hold, up to its latest one. */
export async function readDebits(algod: AlgodClient): Promise<Debit[]> {
  const { lastRound } = await algod.status();
  const debits: Debit[] = [];
  for (let round = 1n; round <= lastRound; round++) debits.push(...(await debitsOf(algod, round)));
  return debits;
}

/** The asset transfers of one block. */
export async function debitsOf(algod: AlgodClient, round: bigint): Promise<Debit[]> {
  const txIds = await algod.blockTransactionIds(round);
  if (txIds.length === 0) return [];
  const transactions = list(member(map(await algod.block(round)), 'block').get('txns'));
  if (transactions.length !== txIds.length) throw new Error(`block ${round} has other transactions than TxIDs`);
  return txIds.flatMap((txId, index) => {
    const transaction = member(map(transactions[index]), 'txn');
    return transaction.get('type') === 'axfer' ? [debitOf(transaction, { txId, round })] : [];
  });
}

/** algod leaves out what is zero. */
function debitOf(transaction: Fields, place: Pick<Debit, 'txId' | 'round'>): Debit {
  return {
    ...place,
    payer: address(transaction.get('snd')),
    receiver: address(transaction.get('arcv')),
    assetId: integer(transaction.get('xaid')),
    amount: integer(transaction.get('aamt')),
  };
}

type Fields = ReadonlyMap<unknown, unknown>;

function map(value: unknown): Fields {
  if (value instanceof Map) return value;
  throw new Error('a block holds no map where one belongs');
}

function member(fields: Fields, name: string): Fields {
  return map(fields.get(name));
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function integer(value: unknown): bigint {
  return typeof value === 'bigint' ? value : 0n;
}

function address(value: unknown): string {
  return formatAddress(value instanceof Uint8Array ? value : new Uint8Array(32));
}
