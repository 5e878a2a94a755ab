import { type AlgodNode, type AlgodPool, isTrouble } from './algod-pool.ts';

export interface ExpiryProofOptions {
  readonly pool: AlgodPool;
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
  const { pool, node, payment, searchedFrom, signal } = options;
  try {
    return await search(node, payment, searchedFrom - 1n, signal);
  } catch (error) {
    if (isTrouble(error) || signal.aborted) throw error;
    for (const other of pool.nodes.filter((candidate) => candidate !== node)) {
      const verdict = await searchWhole(pool, other, options).catch(() => undefined);
      if (verdict !== undefined) return verdict;
    }
    throw error;
  }
}

async function searchWhole(
  pool: AlgodPool,
  node: AlgodNode,
  { payment, signal }: ExpiryProofOptions,
): Promise<'absent' | bigint> {
  await pool.ensureConnected(node);
  return search(node, payment, payment.lastValid, signal);
}

async function search(
  node: AlgodNode,
  payment: ExpiryProofOptions['payment'],
  upTo: bigint,
  signal: AbortSignal,
): Promise<'absent' | bigint> {
  // Round 0 is the genesis: it has no transactions, and no node serves its list.
  for (let round = payment.firstValid || 1n; round <= upTo; round++) {
    signal.throwIfAborted();
    const txIds = await node.client.blockTransactionIds(round);
    if (txIds.includes(payment.txId)) return round;
  }
  return 'absent';
}
