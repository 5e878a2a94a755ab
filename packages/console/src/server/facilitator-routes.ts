import { X402Error } from '@avm402/core/errors';
import { Router } from 'express';
import type { Roles } from '../roles.ts';
import type { RoleAnswer } from './node-access.ts';

const TIMEOUT_MS = 10_000;

/** The paths of a facilitator that the page may read. Its key may open more, such as metrics. */
const SHOWN = /^\/(?:settlements(?:\/.+)?|discovery\/.+|ready|supported)$/;

/** `GET /facilitator/…`: the facilitator's answer to that path. The request carries the key for its ledger. */
export function facilitatorRoutes({ url, key }: Roles['facilitator'], ask: typeof fetch): Router {
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const router = Router();
  router.get('/facilitator/*path', async (request, response, next) => {
    // The path as the request will have it, with dots resolved.
    const { pathname, search } = new URL(request.url.slice('/facilitator'.length), 'http://facilitator');
    if (!SHOWN.test(pathname)) return next();
    const answer = await answerOf(url, () =>
      ask(url + pathname + search, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }),
    );
    response.status(answer.status).type('json').send(answer.text);
  });
  return router;
}

/** @throws X402Error `facilitator_unreachable` */
async function answerOf(url: string, ask: () => Promise<Response>): Promise<RoleAnswer> {
  try {
    const answer = await ask();
    return { status: answer.status, text: await answer.text() };
  } catch (cause) {
    throw new X402Error('facilitator_unreachable', { message: `no facilitator answers at ${url}`, cause });
  }
}
