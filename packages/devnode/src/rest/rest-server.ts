import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DevnodeError } from '../errors.ts';
import { drain } from './request-body.ts';
import type { RequestLimit } from './request-limit.ts';
import type { RestHandler } from './rest-handler.ts';

/** algod's `RestReadTimeoutSeconds`: a request that takes longer to arrive is cut off. */
const READ_TIMEOUT_MS = 15_000;
const TIMEOUT_CHECK_MS = 1_000;
const IDLE_TIMEOUT_MS = 60_000;
const MAX_HEADER_BYTES = 65_536;
/** How long requests under way may go on when the server closes. */
const CLOSE_GRACE_MS = 500;
const CLOSE_SWEEP_MS = 10;

export interface RestServer {
  /** Origin, e.g. `http://127.0.0.1:4001`. */
  readonly url: string;
  /** Stops listening, lets requests under way end for half a second, then closes every connection. */
  close(): Promise<void>;
}

export interface RestServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly handler: RestHandler;
  readonly limit: RequestLimit;
  /** Sockets beyond it are closed at once. */
  readonly maxSockets: number;
}

/** Listens. Throws `port_taken` when another program has the port, `invalid_options` when the host or port is refused. */
export async function startRestServer({ host, port, handler, limit, maxSockets }: RestServerOptions): Promise<RestServer> {
  const server = createServer(
    {
      requestTimeout: READ_TIMEOUT_MS,
      headersTimeout: READ_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    (incoming, outgoing) => {
      if (!limit.enter()) {
        outgoing.writeHead(429, { 'content-length': 0 }).end();
        drain(incoming);
        return;
      }
      outgoing.once('close', () => limit.leave());
      void handler(incoming, outgoing);
    },
  );
  server.maxConnections = maxSockets;
  await listen(server, host, port);
  return { url: originOf(server, host), close: () => close(server) };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      const message = taken
        ? `port ${port} on ${host} is taken: stop the program that uses it, or choose another with --port (0: any free port)`
        : `cannot listen on ${host}:${port}: ${error.message}`;
      reject(new DevnodeError(taken ? 'port_taken' : 'invalid_options', message, { cause: error }));
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

function originOf(server: Server, host: string): string {
  const address = server.address();
  const port = isInternet(address) ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function isInternet(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  const sweep = setInterval(() => server.closeIdleConnections(), CLOSE_SWEEP_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
