import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import { Demonstration } from './payments/demonstration.ts';
import { LedgerHistory } from './payments/ledger-history.ts';
import { PaymentBook } from './payments/payment-book.ts';
import type { Roles } from './roles.ts';
import { answerError } from './server/answer-error.ts';
import { chainRoutes } from './server/chain-routes.ts';
import { controlRoutes } from './server/control-routes.ts';
import { EventHub } from './server/event-hub.ts';
import { facilitatorRoutes } from './server/facilitator-routes.ts';
import { groupRoutes } from './server/group-routes.ts';
import { mandateRoutes } from './server/mandate-routes.ts';
import { NodeAccess } from './server/node-access.ts';
import { onlyThisMachine } from './server/only-this-machine.ts';
import { pageRoutes } from './server/page-routes.ts';
import { collectorRoutes, type PaymentRouteParts, paymentRoutes } from './server/payment-routes.ts';
import { watchChain } from './server/watch-chain.ts';

export interface ConsoleOptions {
  readonly roles: Roles;
  /** 0: any free port. */
  readonly port: number;
  /** The function that sends requests to the roles. Default: the runtime's. */
  readonly fetch?: typeof fetch;
}

/** A running console. */
export interface Console extends AsyncDisposable {
  readonly url: string;
  stop(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/** The page loads everything from here, and sends requests nowhere else. */
const CONTENT_SECURITY_POLICY = {
  useDefaults: false,
  directives: {
    'default-src': ["'none'"],
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'"],
    'connect-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  },
};

const HEADERS = {
  contentSecurityPolicy: CONTENT_SECURITY_POLICY,
  strictTransportSecurity: false,
  // A wallet without an extension signs in a window that this page opens.
  crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
} as const;

/**
 * Starts the console's server on this machine's loopback address. It shows which roles don't answer yet, and waits for
 * them.
 * @throws Error of Node's `listen`, e.g. when the port is taken
 */
export async function startConsole({ roles, port, fetch: ask = fetch }: ConsoleOptions): Promise<Console> {
  const page = await pageRoutes();
  const app = express();
  const server = createServer(app);
  server.listen(port, LOOPBACK);
  await once(server, 'listening');
  const url = `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
  const hub = new EventHub();
  const node = new NodeAccess(roles.algod, ask);
  const history = new LedgerHistory(node.controls, Date.now);
  const stopWatching = watchChain(node, { hub, history });
  const demonstration = new Demonstration({ roles, collectorUrl: url, fetch: ask });
  addRoutes(app, { page, roles, ask, hub, node, history, demonstration });
  const stop = async (): Promise<void> => {
    stopWatching();
    hub.close();
    await demonstration.stop();
    const closed = once(server, 'close');
    server.close().closeAllConnections();
    await closed;
  };
  return { url, stop, [Symbol.asyncDispose]: stop };
}

interface Parts extends Omit<PaymentRouteParts, 'book'> {
  readonly page: RequestHandler;
  readonly roles: Roles;
  readonly ask: typeof fetch;
  readonly hub: EventHub;
}

function addRoutes(app: Express, { page, roles, ask, hub, ...parts }: Parts): void {
  const book = new PaymentBook();
  const { node } = parts;
  app.use(helmet(HEADERS), onlyThisMachine);
  app.use(page, collectorRoutes(book, hub));
  app.get('/api/resource', (_request, response) => void response.json(roles.resource.url));
  app.get('/api/events', (_request, response) => hub.join(response));
  app.use('/api', chainRoutes(node), controlRoutes(node), mandateRoutes(node), groupRoutes(node));
  app.use('/api', paymentRoutes({ book, ...parts }), facilitatorRoutes(roles.facilitator, ask));
  app.use(answerError);
}
