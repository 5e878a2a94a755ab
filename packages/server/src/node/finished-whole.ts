import type { ServerResponse } from 'node:http';

/**
 * Follows a response that has not ended yet; the function tells whether its connection has taken all of it. Before Node 24 a
 * response counts as finished, and its writes as done, although its connection broke.
 */
export function finishedWhole(response: ServerResponse): () => boolean {
  let isWhole = false;
  response.once('finish', () => {
    isWhole = !response.req.socket.destroyed;
  });
  return () => isWhole;
}
