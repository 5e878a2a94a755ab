import type { BlockHeader } from '../codec/schema/block.ts';
import type { TransactionInBlock } from '../codec/schema/signed-transaction.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import { DevnodeError } from '../errors.ts';
import type { Chain } from '../ledger/chain.ts';
import type { TransactionPlace } from '../ledger/transaction-tail.ts';

/** A transaction's place, and its place in the block if each inner transaction counts as one. */
export interface IndexedPlace extends TransactionPlace {
  readonly offset: number;
}

/** A transaction in its block. Fields that few searches need are read only when they are used. */
export interface ConfirmedTransaction extends IndexedPlace {
  readonly placed: TransactionInBlock;
  readonly transaction: Transaction;
  readonly txId: Uint8Array;
  readonly header: BlockHeader;
}

/** Reads a transaction; undefined when the chain has none at this place. */
export function confirmedTransaction({ blocks }: Chain, place: IndexedPlace): ConfirmedTransaction | undefined {
  const { round, index } = place;
  const placed = blocks.transaction(round, index);
  return (
    placed && {
      ...place,
      placed,
      transaction: placed.transaction,
      get txId() {
        return blocks.txId(round, index) ?? blockIsGone();
      },
      get header() {
        return blocks.header(round) ?? blockIsGone();
      },
    }
  );
}

export function blockIsGone(): never {
  throw new DevnodeError('not_found', 'a block was dropped during the search; try again', { status: 503 });
}
