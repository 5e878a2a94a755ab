/**
 * How a payment stands; the page colours each of them. `asked`: the answer was an offer, and no payment followed.
 * `closed`: a channel was closed, which pays nobody anew.
 */
export type Standing = 'paid' | 'closed' | 'asked' | 'refused' | 'failed' | 'open';

/** Words for good outcomes. */
const GOOD = new Set(['settled', 'confirmed', 'valid', 'passed', 'paid', 'success', 'signed', 'accepted', 'replayed']);

/** Whether an outcome is a good one: a word of docs/telemetry.md, not a code. */
export function isGood(outcome: string): boolean {
  return GOOD.has(outcome);
}

/** How a payment stands, by its outcome and by the status of the last answer, if there was one. */
export function standingOf(outcome = '', status = 0): Standing {
  if (outcome === 'settlement_pending' || outcome === 'pending') return 'open';
  if (status === 402) return outcome === 'payment_required' || outcome === '' ? 'asked' : 'refused';
  if (status >= 400) return 'failed';
  if (status >= 200 || isGood(outcome)) return 'paid';
  return outcome.includes('_') ? 'refused' : 'open';
}
