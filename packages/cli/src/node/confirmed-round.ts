import type { AlgodClient } from '@avm402/algorand/algod';
import { X402Error } from '@avm402/core/errors';
import { explain } from '../words/explain.ts';

/** A transaction that a node has taken. */
export interface SentTransaction {
  readonly txId: string;
  readonly lastValid: bigint;
}

/**
 * Waits until a transaction is in a block, and resolves to its round.
 * @throws X402Error `request_failed` if it never will be; if that can't be known, because the node fails or the wait is
 * interrupted
 */
export async function confirmedRound(algod: AlgodClient, sent: SentTransaction, signal: AbortSignal): Promise<bigint> {
  const { txId } = sent;
  const round = await roundOf(algod, sent, signal).catch((cause: unknown) => {
    throw new X402Error('request_failed', {
      message: `transaction ${txId} has left, and is not known to be in a block: ${explain(cause).message}`,
      remedy: `GET /v2/transactions/pending/${txId} of your algod names its confirmed-round once it is in a block.`,
      cause,
    });
  });
  if (round === undefined) throw new X402Error('request_failed', { message: `transaction ${txId} was not confirmed` });
  return round;
}

/** Undefined if it is in no block, and its rounds are over. */
async function roundOf(
  algod: AlgodClient,
  { txId, lastValid }: SentTransaction,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  for (;;) {
    const { lastRound } = await algod.status({ signal });
    const pending = await algod.pendingTransaction(txId, { signal });
    if (pending?.confirmedRound) return pending.confirmedRound;
    if (lastRound > lastValid) return undefined;
    await algod.waitForBlockAfter(lastRound, { signal });
  }
}
