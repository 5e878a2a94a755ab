import type { BlockHeader } from '../codec/schema/block.ts';
import type { TransactionInBlock } from '../codec/schema/signed-transaction.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import type { Chain } from '../ledger/chain.ts';
import type { Place } from './chain-index.ts';

/** A transaction in its block. */
export interface ConfirmedTransaction extends Place {
  readonly txId: Uint8Array;
  readonly placed: TransactionInBlock;
  readonly transaction: Transaction;
  readonly header: BlockHeader;
}

/** Reads a transaction; undefined when the chain has none there. */
export function confirmedTransaction({ blocks }: Chain, { round, index }: Place): ConfirmedTransaction | undefined {
  const at = BigInt(round);
  const [placed, header, txId] = [blocks.transaction(at, index), blocks.header(at), blocks.txIds(at)?.[index]];
  if (placed === undefined || header === undefined || txId === undefined) return undefined;
  return { round, index, txId, placed, transaction: placed.transaction, header };
}
