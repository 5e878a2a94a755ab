import type { ChannelOnChain } from '@avm402/avm/batch-settlement/client';
import type { Spending } from '../budget/spending.ts';
import type { BuyerChannel } from './buyer-channel.ts';

/**
 * Whether the buyer's node shows that a channel was paid out: it is empty, no deposit can come any more, and the node
 * is not behind what it has shown before. (Several nodes may answer at one address.)
 */
export function isPaidOut(channel: BuyerChannel, { state, round }: Pick<ChannelOnChain, 'state' | 'round'>): boolean {
  return state === 'empty' && channel.pending === undefined && round >= channel.seenAt;
}

/**
 * Records that a channel no longer holds anything: the amount that was not signed for came back. The program pays the
 * seller at most the amount that was signed, and everything else to the payer. However many learn of it, it comes back
 * once.
 */
export async function recordPaidOut(channel: BuyerChannel, spending: Spending): Promise<void> {
  if (!(await channel.end())) return;
  const { deposits, usedUp } = channel.record;
  let claimed = channel.mostClaimable - (usedUp?.amount ?? 0n);
  for (const { txId, amount, settled } of deposits) {
    if (!settled) continue;
    const kept = claimed < amount ? claimed : amount;
    claimed -= kept;
    if (kept < amount) await spending.returned({ txId }, amount - kept);
  }
}
