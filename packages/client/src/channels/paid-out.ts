import type { Spending } from '../budget/spending.ts';
import type { BuyerChannel } from './buyer-channel.ts';

/**
 * Records that a channel holds nothing any more: what was not signed for is back. The program pays the seller at most what
 * was signed, and everything else to the payer.
 */
export async function recordPaidOut(channel: BuyerChannel, spending: Spending): Promise<void> {
  await channel.become('closed');
  let claimed = channel.mostClaimable;
  for (const { txId, amount, settled } of channel.record.deposits) {
    if (!settled) continue;
    const kept = claimed < amount ? claimed : amount;
    claimed -= kept;
    if (kept < amount) await spending.returned({ txId }, amount - kept);
  }
}
