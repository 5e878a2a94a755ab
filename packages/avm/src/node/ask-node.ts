import type { AlgodClient } from '@avm402/algorand/algod';
import { type AlgodRefusal, algodRefusal, parseAlgodRefusal } from '@avm402/algorand/algod-refusal';
import { isAlgorandError } from '@avm402/algorand/errors';
import { X402Error } from '@avm402/core/errors';

/** The result of a simulation: the group would succeed in the block after `lastRound`. */
export interface Verdict {
  readonly lastRound: bigint;
}

/** The result of a simulation: the chain would refuse the group. */
export interface RefusedGroup {
  readonly refusal: AlgodRefusal;
}

/**
 * Asks a node. A failure of the node is no verdict on the payment.
 * @throws X402Error `algod_unreachable`
 */
export async function askNode<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    throw isAlgorandError(error) ? new X402Error('algod_unreachable', { cause: error }) : error;
  }
}

/**
 * Asks a node whether the group would succeed now. The facilitator's own members stay unsigned
 * (allow-empty-signatures), so verification never gives anybody a complete group.
 * @throws X402Error `algod_unreachable`
 */
export async function simulateGroup(
  algod: Pick<AlgodClient, 'simulate'>,
  transactions: readonly Uint8Array[],
): Promise<Verdict | RefusedGroup> {
  return askNode(async () => {
    try {
      const { lastRound, failureMessage } = await algod.simulate({ transactions, allowEmptySignatures: true });
      return failureMessage === undefined ? { lastRound } : { refusal: parseAlgodRefusal(failureMessage) };
    } catch (error) {
      const refusal = algodRefusal(error);
      if (refusal === undefined) throw error;
      return { refusal };
    }
  });
}
