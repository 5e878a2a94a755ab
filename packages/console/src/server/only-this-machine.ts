import type { RequestHandler } from 'express';

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/**
 * Lets in this machine's programs and the console's own page. A page of another origin says so in `Origin` whenever it
 * would change something, and one whose name was rebound to this machine says its name in `Host`.
 */
export const onlyThisMachine: RequestHandler = ({ headers: { host = '', origin } }, response, next) => {
  const isOwn = LOOPBACK_HOST.test(host) && (origin === undefined || origin === `http://${host}`);
  if (isOwn) next();
  else
    response.status(403).json({ code: 'refused', message: 'the console answers its own page and this machine only' });
};
