import type { Exchange } from '../exchange.ts';
import type { StoredResponse } from '../redemption/redemption.ts';
import type { HeldAnswer } from './held-answer.ts';

/** A held answer as it is kept for its buyer; nothing of one that is too large. */
export function storedResponse({ seller }: Exchange, held: HeldAnswer): StoredResponse | undefined {
  const { maxStoredBytes, storedForMs, now } = seller.options;
  return held.size > maxStoredBytes ? undefined : { ...held.answer(), keptUntil: now() + storedForMs };
}
