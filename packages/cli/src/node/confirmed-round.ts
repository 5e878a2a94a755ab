import type { AlgodClient } from '@avm402/algorand/algod';
import { X402Error } from '@avm402/core/errors';

/** A transaction that a node has taken. */
export interface SentTransaction {
  readonly txId: string;
  readonly lastValid: bigint;
}

/**
 * Waits until a transaction is in a block, and resolves to its round.
 * @throws X402Error `request_failed` if it never will be, or if the wait is interrupted; what algod throws
 */
export async function confirmedRound(
  algod: AlgodClient,
  { txId, lastValid }: SentTransaction,
  signal: AbortSignal,
): Promise<bigint> {
  try {
    for (;;) {
      const { lastRound } = await algod.status({ signal });
      const pending = await algod.pendingTransaction(txId, { signal });
      if (pending?.confirmedRound) return pending.confirmedRound;
      if (lastRound > lastValid)
        throw new X402Error('request_failed', { message: `transaction ${txId} was not confirmed` });
      await algod.waitForBlockAfter(lastRound, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new X402Error('request_failed', {
      message: `transaction ${txId} has left, and is not known to be in a block`,
      remedy: `GET /v2/transactions/pending/${txId} of your algod names its confirmed-round once it is in a block.`,
    });
  }
}
