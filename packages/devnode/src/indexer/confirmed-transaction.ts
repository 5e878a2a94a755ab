import type { BlockHeader } from '../codec/schema/block.ts';
import type { TransactionInBlock } from '../codec/schema/signed-transaction.ts';
import type { Transaction } from '../codec/schema/transaction.ts';
import { DevnodeError } from '../errors.ts';
import type { Chain } from '../ledger/chain.ts';
import type { Place } from './chain-index.ts';

/** A transaction in its block. Fields that few searches need are read only when they are used. */
export interface ConfirmedTransaction extends Place {
  readonly placed: TransactionInBlock;
  readonly transaction: Transaction;
  readonly txId: Uint8Array;
  readonly header: BlockHeader;
}

/** Reads a transaction; undefined when the chain has none at this place. */
export function confirmedTransaction({ blocks }: Chain, { round, index }: Place): ConfirmedTransaction | undefined {
  const at = BigInt(round);
  const placed = blocks.transaction(at, index);
  return (
    placed && {
      round,
      index,
      placed,
      transaction: placed.transaction,
      get txId() {
        return blocks.txIds(at)?.[index] ?? blockIsGone();
      },
      get header() {
        return blocks.header(at) ?? blockIsGone();
      },
    }
  );
}

function blockIsGone(): never {
  throw new DevnodeError('not_found', 'a block was dropped during the search; try again', { status: 503 });
}
