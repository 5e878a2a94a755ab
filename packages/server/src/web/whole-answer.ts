import { X402Error } from '@avm402/core/errors';

/** Headers by which a proxy of Next says that somebody else answers. */
const PASSED_ON = ['x-middleware-next', 'x-middleware-rewrite'];

/**
 * What a handler has returned, if it is its answer. A proxy of Next returns that somebody else is to answer: nothing of
 * that answer could be held, and a replay would have it made again.
 * @throws X402Error `response_not_settleable`
 */
export function wholeAnswer(response: Response): Response {
  if (!PASSED_ON.some((name) => response.headers.has(name))) return response;
  throw new X402Error('response_not_settleable', {
    message: 'a proxy of Next does not see what is answered: charge in the route handler, with withX402',
  });
}
