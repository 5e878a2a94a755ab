import { isLoopbackHost } from '@avm402/core/loopback';
import type { RequestHandler } from 'express';

/**
 * Admits this machine's programs and the console's own page only. A request from another origin's page that would
 * change something has that `Origin`, and one from a name rebound to this machine has that name in `Host`.
 */
export const onlyThisMachine: RequestHandler = ({ headers: { host = '', origin } }, response, next) => {
  const isLoopback = isLoopbackHost(host.replace(/:\d+$/, ''));
  const isOwn = isLoopback && (origin === undefined || origin === `http://${host}`);
  if (isOwn) next();
  else
    response.status(403).json({ code: 'refused', message: 'the console answers its own page and this machine only' });
};
