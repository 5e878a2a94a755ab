import { setTimeout } from 'node:timers/promises';
import type { Exchange } from './exchange.ts';
import { peerOf } from '../request/peer.ts';

/** Longest turn of a request that settles: a payment that is not refused by then waits for its block. */
const LONGEST_TURN_MS = 250;

/**
 * Settles in turn with everything else that is asked of facilitators before anything is known to be paid.
 * @throws X402Error `verification_overloaded`, and whatever `work` throws
 */
export async function settlingInTurn<T>(
  { request, responder, seller }: Pick<Exchange, 'request' | 'responder' | 'seller'>,
  work: () => Promise<T>,
): Promise<T> {
  const isThere = (): boolean => !responder.isClosed;
  const { atWork } = await seller.turns.do(peerOf(request), isThere, async () => {
    const begun = work();
    await Promise.race([begun, setTimeout(LONGEST_TURN_MS, undefined, { ref: false })]);
    // Wrapped in an object, so that the turn does not wait for the promise.
    return { atWork: begun };
  });
  return atWork;
}
