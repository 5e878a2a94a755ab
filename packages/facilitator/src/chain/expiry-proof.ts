import { type AlgodNode, isTrouble } from './algod-node.ts';
import type { AlgodPool } from './algod-pool.ts';
import { type BlockReader, MissingBlock } from './block-reader.ts';
import { type RoundWindow, roundsUp, smaller } from './round-windows.ts';

/** A payment whose window is over. */
export interface ExpiredPayment {
  readonly txId: string;
  readonly firstValid: bigint;
  readonly lastValid: bigint;
  /** The present node has been searched from this round on. */
  readonly searchedFrom: bigint;
}

export interface ExpiryProofOptions {
  readonly pool: AlgodPool;
  readonly blocks: BlockReader;
  readonly payments: readonly ExpiredPayment[];
  /** The node whose blocks have been searched so far. */
  readonly node: AlgodNode;
  readonly signal: AbortSignal;
}

/** By TxID: `absent`, or the round that contains the payment. */
export type ExpiryVerdicts = ReadonlyMap<string, 'absent' | bigint>;

/**
 * Searches the whole windows of payments on one node, reading each block once for all of them. If the node lacks a
 * block of a payment's window, another node that has all of them will do. If there is no such node, nothing is proven
 * and the payment has no verdict.
 * @throws what algod's client throws
 */
export async function proveExpiry(options: ExpiryProofOptions): Promise<ExpiryVerdicts> {
  const { pool, payments, node } = options;
  const left = payments.map((payment) => ({
    txId: payment.txId,
    from: payment.firstValid,
    to: smaller(payment.lastValid, payment.searchedFrom - 1n),
  }));
  const verdicts = new Map(await search(node, left, options));
  const hasAll = (): boolean => verdicts.size === payments.length;
  if (hasAll()) return verdicts;
  for await (const { node: other, failed } of pool.attempts()) {
    if (other === node) continue;
    const unproven = payments.filter(({ txId }) => !verdicts.has(txId));
    const whole = unproven.map(({ txId, firstValid, lastValid }) => ({ txId, from: firstValid, to: lastValid }));
    try {
      for (const [txId, verdict] of await search(other, whole, options)) verdicts.set(txId, verdict);
    } catch (error) {
      // A node that fails proves nothing.
      if (!isTrouble(error)) throw error;
      failed(error);
    }
    if (hasAll()) break;
  }
  return verdicts;
}

interface PaymentWindow extends RoundWindow {
  readonly txId: string;
}

async function search(
  node: AlgodNode,
  windows: readonly PaymentWindow[],
  { blocks, signal }: ExpiryProofOptions,
): Promise<ExpiryVerdicts> {
  const found = new Map<string, bigint>();
  const open = new Map(windows.map((window) => [window.txId, window]));
  for (const round of roundsUp(open)) {
    signal.throwIfAborted();
    try {
      for (const txId of await blocks.txIds(node, round)) if (open.delete(txId)) found.set(txId, round);
    } catch (error) {
      if (!(error instanceof MissingBlock)) throw error;
      for (const [txId, { from, to }] of open) if (from <= round && round <= to) open.delete(txId);
    }
  }
  const verdicts = new Map<string, 'absent' | bigint>(found);
  for (const txId of open.keys()) verdicts.set(txId, 'absent');
  return verdicts;
}
