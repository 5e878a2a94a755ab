import { admit, type ChannelCredit } from '../../src/batch-settlement/server/channel-credit.ts';

/** What a channel holds. */
export const BALANCE = 10_000n;

/** A seller's credit after a request that must be admitted. */
export function admitted(credit: ChannelCredit, amount: bigint, maximum: bigint): ChannelCredit {
  const next = admit(credit, { amount, maximum });
  if (typeof next === 'string') throw new Error(next);
  return next;
}
