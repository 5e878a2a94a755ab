/** Milliseconds that a response asks to wait: seconds or a date (RFC 9110 §10.2.3). Undefined if it does not. */
export function retryAfterMs(response: Response, now: number): number | undefined {
  const value = response.headers.get('Retry-After');
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
