import { X402Error } from '@avm402/core/errors';
import type { SpendPolicy } from '../budget/spend-policy.ts';

/**
 * The URL that made the offer in a response. Behind a redirect, an offer is paid only at the origin that was asked, at
 * the same host over https, or at an origin that the policy names.
 * @throws X402Error `unsafe_redirect`
 */
export function payableUrl(asked: { url: string; method: string }, response: Response, policy: SpendPolicy): URL {
  const from = new URL(asked.url);
  const answered = new URL(response.url === '' ? asked.url : response.url);
  const isSafeMethod = asked.method === 'GET' || asked.method === 'HEAD';
  const isExpected = isSameParty(from, answered) || policy.namesOrigin(answered.origin);
  // A redirect may have turned another method into GET.
  if (isExpected && (isSafeMethod || withoutFragment(answered) === withoutFragment(from))) return answered;
  throw new X402Error('unsafe_redirect', {
    message: `${from.origin} redirects to ${answered.origin + answered.pathname}, which asks for payment`,
  });
}

/** Whether both have the same origin, or the answer came over https from the host that was asked over http. */
export function isSameParty(asked: URL, answered: URL): boolean {
  if (asked.origin === answered.origin) return true;
  return asked.protocol === 'http:' && answered.protocol === 'https:' && asked.hostname === answered.hostname;
}

function withoutFragment({ href }: URL): string {
  return href.split('#', 1)[0] ?? href;
}
