import { sameBytes } from '../codec/bytes.ts';
import { document, type Document } from '../codec/document.ts';
import { pendingTransaction, pendingTransactions } from '../codec/schema/pending.ts';
import { assetParams } from '../codec/schema/transaction.ts';
import type { SignedTransaction, TransactionInBlock } from '../codec/schema/signed-transaction.ts';
import type { Chain } from '../ledger/chain.ts';
import { addressKey } from '../transaction/address-key.ts';
import { effectsOf } from '../transaction/reported-effects.ts';
import type { Pool } from '../pool/pool.ts';

/** The status of a transaction; a recent block wins over the pool. */
export function pendingTransactionAnswer(txId: Uint8Array, chain: Chain, pool: Pool): Document | undefined {
  const place = chain.tail.place(addressKey(txId));
  if (place !== undefined) return confirmedAnswer(place.round, place.index, chain);
  const pooled = pool.find(txId);
  if (pooled === undefined) return undefined;
  return document(
    pendingTransaction,
    pendingTransaction.of({ transaction: pooled.member.signed, poolError: pooled.error }),
  );
}

function confirmedAnswer(round: bigint, index: number, { blocks, context }: Chain): Document | undefined {
  const placed = blocks.transaction(round, index);
  if (placed === undefined) return undefined;
  return document(
    pendingTransaction,
    pendingTransaction.of({
      ...effectsOf(placed.transaction, placed),
      // algod does not take a transaction that sets no parameter for a creation.
      assetIndex: assetParams.isZero(placed.transaction.assetParams) ? 0n : placed.configAsset,
      confirmedRound: round,
      transaction: restoreGenesis(placed, context),
    }),
  );
}

/** Restores the submitted signed transaction from its form in the block. */
export function restoreGenesis(
  placed: TransactionInBlock,
  { genesisId, genesisHash }: { readonly genesisId: string; readonly genesisHash: Uint8Array },
): SignedTransaction {
  const { signature, multisig, logicSignature, pqSignature, authAddress, hasGenesisId } = placed;
  const transaction = { ...placed.transaction, genesisId: hasGenesisId ? genesisId : '', genesisHash };
  return { signature, multisig, logicSignature, pqSignature, authAddress, transaction };
}

/** The pool's transactions in order of arrival; the total always counts the whole pool. */
export function pendingTransactionsAnswer(
  pool: Pool,
  { max, address }: { readonly max: bigint; readonly address?: Uint8Array },
): Document {
  const found: SignedTransaction[] = [];
  for (const { signed } of pool.members) {
    if (max !== 0n && BigInt(found.length) >= max) break;
    if (address === undefined || concerns(signed, address)) found.push(signed);
  }
  return document(pendingTransactions, { topTransactions: found, totalTransactions: BigInt(pool.size) });
}

function concerns({ transaction }: SignedTransaction, address: Uint8Array): boolean {
  const { sender, receiver, closeRemainderTo, assetReceiver, assetCloseTo, assetSender, heartbeat } = transaction;
  const parties = [sender, receiver, closeRemainderTo, assetReceiver, assetCloseTo, assetSender, heartbeat?.address];
  return parties.some((party) => party !== undefined && sameBytes(party, address));
}
