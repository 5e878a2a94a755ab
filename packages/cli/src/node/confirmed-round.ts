import type { AlgodClient } from '@avm402/algorand/algod';
import { X402Error } from '@avm402/core/errors';

/**
 * Waits until a transaction is in a block, and resolves to its round.
 * @throws X402Error `request_failed` if it never will be; what algod throws
 */
export async function confirmedRound(algod: AlgodClient, txId: string, lastValid: bigint): Promise<bigint> {
  for (;;) {
    const { lastRound } = await algod.status();
    const pending = await algod.pendingTransaction(txId);
    if (pending?.confirmedRound) return pending.confirmedRound;
    if (lastRound > lastValid)
      throw new X402Error('request_failed', { message: `transaction ${txId} was not confirmed` });
    await algod.waitForBlockAfter(lastRound);
  }
}
