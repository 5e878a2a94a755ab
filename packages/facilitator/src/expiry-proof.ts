import { type AlgodNode, type AlgodPool, isTrouble } from './algod-pool.ts';
import type { BlockReader } from './block-reader.ts';

export interface ExpiryProofOptions {
  readonly pool: AlgodPool;
  readonly blocks: BlockReader;
  readonly payment: { readonly txId: string; readonly firstValid: bigint; readonly lastValid: bigint };
  /** A node on which the rounds from `searchedFrom` to the payment's last valid one have been searched already. */
  readonly node: AlgodNode;
  readonly searchedFrom: bigint;
  readonly signal: AbortSignal;
}

/**
 * Searches the whole window of a payment on one node: `absent`, or the round that has it. If the node lacks a block,
 * another one that has them all will do. Throws what algod's client throws when none has: then nothing is proven.
 */
export async function proveExpiry(options: ExpiryProofOptions): Promise<'absent' | bigint> {
  const { pool, node, searchedFrom, signal } = options;
  try {
    return await search(node, searchedFrom - 1n, options);
  } catch (error) {
    if (isTrouble(error) || signal.aborted) throw error;
    for (const other of pool.nodes.filter((candidate) => candidate !== node)) {
      const verdict = await searchWhole(other, options).catch(() => undefined);
      if (verdict !== undefined) return verdict;
    }
    throw error;
  }
}

async function searchWhole(node: AlgodNode, options: ExpiryProofOptions): Promise<'absent' | bigint> {
  await options.pool.ensureConnected(node);
  return search(node, options.payment.lastValid, options);
}

async function search(
  node: AlgodNode,
  upTo: bigint,
  { blocks, payment, signal }: ExpiryProofOptions,
): Promise<'absent' | bigint> {
  // Round 0 is the genesis: it has no transactions, and no node serves its list.
  for (let round = payment.firstValid || 1n; round <= upTo && round <= payment.lastValid; round++) {
    signal.throwIfAborted();
    const txIds = await blocks.txIds(node, round);
    if (txIds.includes(payment.txId)) return round;
  }
  return 'absent';
}
