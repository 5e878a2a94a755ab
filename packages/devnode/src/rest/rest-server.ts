import type { IncomingMessage, Server } from 'node:http';
import { DevnodeError } from '../errors.ts';
import { drain } from './request-body.ts';
import type { RestHandler } from './rest-handler.ts';

// Not imported: importing node:http reads all its exports, which loads all of fetch: a sixth of the start time.
const { createServer } = process.getBuiltinModule('node:http');

const TIMEOUT_CHECK_MS = 500;
// Differs from algod: longer-keep-alive
const IDLE_TIMEOUT_MS = 60_000;
// Differs from algod: small-headers
const MAX_HEADER_BYTES = 65_536;
/** Time for open requests to end when the server closes. */
const CLOSE_GRACE_MS = 500;
const CLOSE_SWEEP_MS = 10;

export interface RestServer {
  /** Origin, e.g. `http://127.0.0.1:4001`. */
  readonly url: string;
  /** Stops listening, gives open requests half a second to end, then closes every connection. */
  close(): Promise<void>;
}

export interface RestServerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The flag that chooses the port. */
  readonly portFlag: '--port' | '--kmd-port' | '--indexer-port';
  readonly handler: RestHandler;
  /** Requests beyond this number at once are answered with 429. */
  readonly maxRequests: number;
  /** Sockets beyond this number are closed at once. */
  readonly maxSockets: number;
  /** A request that takes longer than this to arrive, in ms, is cut off. */
  readonly readTimeoutMs: number;
}

/** The limits of KMD and indexer. */
export const COMPANION_LIMITS = { maxRequests: 1024, maxSockets: 2048, readTimeoutMs: 15_000 };

/**
 * Starts listening.
 * @throws DevnodeError `port_taken` when another program has the port, `invalid_options` when the host or port is refused
 */
export async function startRestServer(options: RestServerOptions): Promise<RestServer> {
  const { host, handler, maxRequests, maxSockets, readTimeoutMs } = options;
  const limits = {
    requestTimeout: readTimeoutMs,
    headersTimeout: readTimeoutMs,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
  const underway = new Set<IncomingMessage>();
  const server = createServer(limits, (incoming, outgoing) => {
    if (underway.size >= maxRequests) forgetAbandoned(underway);
    if (underway.size >= maxRequests) {
      outgoing.writeHead(429, { 'content-length': 0 }).end();
      drain(incoming);
      return;
    }
    underway.add(incoming);
    const done = (): void => void underway.delete(incoming);
    void handler(incoming, outgoing).finally(() => {
      // Only a stream is not answered yet. Not all closes are told: before Node 24, none behind a lost answer.
      if (outgoing.writableEnded || outgoing.destroyed) done();
      else outgoing.once('close', done);
    });
  });
  server.maxConnections = maxSockets;
  // As with Go's server, a client that closes its side after the request still gets its answer. The types lack this.
  Object.assign(server, { httpAllowHalfOpen: true });
  await listen(server, options);
  return { url: originOf(server, host), close: () => close(server) };
}

/** Forgets requests whose clients have closed their side, most of them for good: a fault may hold them for long. */
function forgetAbandoned(underway: Set<IncomingMessage>): void {
  for (const incoming of underway) {
    const { readableEnded, destroyed } = incoming.socket;
    if (readableEnded || destroyed) underway.delete(incoming);
  }
}

function listen(server: Server, options: RestServerOptions): Promise<void> {
  const { host, port, maxSockets } = options;
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(listenError(error, options));
    server.once('error', failed);
    // With the usual backlog of 511, a burst of connections would wait a second for the kernel's retry.
    server.listen({ port, host, backlog: maxSockets }, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

function listenError(cause: NodeJS.ErrnoException, { host, port, portFlag }: RestServerOptions): DevnodeError {
  if (cause.code !== 'EADDRINUSE') {
    return new DevnodeError('invalid_options', `can't listen on ${host}:${port}: ${cause.message}`, { cause });
  }
  const message = `port ${port} on ${host} is taken: stop the program that uses it, or choose another with ${portFlag} (0: any free port)`;
  return new DevnodeError('port_taken', message, { cause });
}

function originOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port ?? 0}`;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  const sweep = setInterval(() => server.closeIdleConnections(), CLOSE_SWEEP_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
}
