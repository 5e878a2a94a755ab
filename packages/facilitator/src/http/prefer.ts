/** The header `Prefer` (RFC 7240), as it came. */
type Prefer = string | readonly string[] | undefined;

export const RESPOND_ASYNC = 'respond-async';

/** Whether an answer is preferred before the outcome. */
export function prefersAsync(prefer: Prefer): boolean {
  return preferencesIn(prefer).includes(RESPOND_ASYNC);
}

/** For how long an outcome is preferred to its absence, in milliseconds; 0 unless it is said. */
export function preferredWaitMs(prefer: Prefer): number {
  const seconds = preferencesIn(prefer).flatMap((preference) => /^wait\s*=\s*(\d{1,4})$/.exec(preference)?.[1] ?? []);
  return Number(seconds[0] ?? 0) * 1_000;
}

function preferencesIn(prefer: Prefer): string[] {
  return String(prefer ?? '')
    .split(',')
    .map((preference) => (preference.split(';')[0] ?? '').trim().toLowerCase());
}
