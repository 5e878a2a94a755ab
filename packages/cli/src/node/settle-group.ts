import type { AlgodClient } from '@avm402/algorand/algod';
import { type AlgodRefusal, algodRefusal } from '@avm402/algorand/algod-refusal';
import { isAlgorandError } from '@avm402/algorand/errors';
import { type Transaction, transactionId } from '@avm402/algorand/transaction';
import { X402Error } from '@avm402/core/errors';
import { explain } from '../words/explain.ts';

/** Refusals of a group that the node has in a block or in its pool. */
const HELD: ReadonlySet<AlgodRefusal['kind'] | undefined> = new Set(['already_in_ledger', 'not_passed_on']);

/**
 * Sends a signed group, waits until it is in a block, and resolves to its round. `first` is its first transaction.
 * @throws AlgorandError `algod_refused` if the node does not take it; X402Error `request_failed` if it never will be in a
 * block; `payment_outcome_unknown` if that can't be known, because the node fails or the wait is interrupted
 */
export async function settleGroup(
  algod: AlgodClient,
  signed: Uint8Array,
  first: Transaction,
  signal: AbortSignal,
): Promise<bigint> {
  const txId = transactionId(first);
  const unknown = (how: string) => (cause: unknown) => {
    throw new X402Error('payment_outcome_unknown', {
      message: `transaction ${txId} ${how} left, and is not known to be in a block: ${explain(cause).message}`,
      remedy: `GET /v2/transactions/pending/${txId} of your algod names its confirmed-round once it is in a block.`,
      cause,
    });
  };
  await algod.sendRawTransaction(signed).catch((error: unknown) => {
    // The node has it: from an earlier try, or although it can't pass it on now.
    if (HELD.has(algodRefusal(error)?.kind)) return;
    if (isAlgorandError(error, 'algod_refused') && (error.status ?? 0) < 500) throw error;
    unknown('may have')(error);
  });
  const round = await roundOf(algod, { txId, lastValid: first.lastValid }, signal).catch(unknown('has'));
  if (round === undefined) throw new X402Error('request_failed', { message: `transaction ${txId} was not confirmed` });
  return round;
}

/** Undefined if it is in no block, and its rounds are over. */
async function roundOf(
  algod: AlgodClient,
  { txId, lastValid }: { readonly txId: string; readonly lastValid: bigint },
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
