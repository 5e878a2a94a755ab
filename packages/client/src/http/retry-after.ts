/** Milliseconds to wait by `Retry-After`, in seconds or as a date (RFC 9110 §10.2.3); undefined without one. */
export function retryAfterMs(response: Response, now: number): number | undefined {
  const value = response.headers.get('Retry-After');
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
