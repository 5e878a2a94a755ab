/** The header `Prefer` (RFC 7240), as it came. */
type Prefer = string | readonly string[] | undefined;

export const RESPOND_ASYNC = 'respond-async';

/** Whether the caller would rather have an answer before the outcome. */
export function prefersAsync(prefer: Prefer): boolean {
  return preferencesIn(prefer).includes(RESPOND_ASYNC);
}

/** How long the caller would rather wait for an outcome, in milliseconds; 0 if it does not say. */
export function preferredWaitMs(prefer: Prefer): number {
  const seconds = preferencesIn(prefer).flatMap((preference) => /^wait\s*=\s*(\d{1,4})$/.exec(preference)?.[1] ?? []);
  return Number(seconds[0] ?? 0) * 1_000;
}

function preferencesIn(prefer: Prefer): string[] {
  return String(prefer ?? '')
    .split(',')
    .map((preference) => (preference.split(';')[0] ?? '').trim().toLowerCase());
}
