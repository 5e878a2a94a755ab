import type { BlockHeader } from '../codec/schema/block.ts';
import type { TransactionInBlock } from '../codec/schema/signed-transaction.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import { DevnodeError } from '../errors.ts';
import type { Chain } from '../ledger/chain.ts';
import type { TransactionPlace } from '../ledger/transaction-tail.ts';
import { transactionsWithin } from '../transaction/inner-transactions.ts';

/** A transaction in its block. Fields that few searches need are read only when they are used. */
export interface ConfirmedTransaction extends TransactionPlace {
  readonly placed: TransactionInBlock;
  readonly transaction: Transaction;
  readonly txId: Uint8Array;
  readonly header: BlockHeader;
  /** Its place in the block if each inner transaction counts as one. */
  readonly offset: number;
}

/** Reads a transaction; undefined when the chain has none at this place. */
export function confirmedTransaction(
  { blocks }: Chain,
  { round, index }: TransactionPlace,
): ConfirmedTransaction | undefined {
  const placed = blocks.transaction(round, index);
  return (
    placed && {
      round,
      index,
      placed,
      transaction: placed.transaction,
      get txId() {
        return blocks.txIds(round)?.[index] ?? blockIsGone();
      },
      get header() {
        return blocks.header(round) ?? blockIsGone();
      },
      get offset() {
        return offsetOf(blocks, { round, index });
      },
    }
  );
}

function offsetOf(blocks: Chain['blocks'], { round, index }: TransactionPlace): number {
  const [before, after] = [round - 1n, round].map((each) => blocks.header(each)?.transactionCounter);
  const count = BigInt(blocks.txIds(round)?.length ?? 0);
  if (before !== undefined && after !== undefined && after - before === count) return index;
  let offset = 0;
  for (let earlier = 0; earlier < index; earlier++) {
    const placed = blocks.transaction(round, earlier);
    if (placed !== undefined) offset += [...transactionsWithin(placed)].length;
  }
  return offset;
}

export function blockIsGone(): never {
  throw new DevnodeError('not_found', 'a block was dropped during the search; try again', { status: 503 });
}
