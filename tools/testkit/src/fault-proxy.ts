import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The fault of one exchange. */
export type Fault =
  /** The request never reaches the target; its connection is cut. */
  | 'drop-request'
  /** The target does its work; its answer is lost. */
  | 'drop-answer'
  /** Half of the answer's body arrives, then the connection is cut. */
  | 'cut-answer'
  /** The answer comes late. */
  | 'delay'
  /** 503 without reaching the target. */
  | 'refuse'
  /** The target does its work; the answer is a 502. */
  | 'bad-gateway';

export interface FaultProxyOptions {
  /** Target origins, in order of preference: the first that accepts a connection is used, as a load balancer does. */
  readonly targets: () => readonly string[];
  /** Decides about each exchange; undefined lets it pass. */
  readonly fault: (request: IncomingMessage) => Fault | undefined;
  /** Milliseconds that `delay` adds. */
  readonly delayMs?: number;
}

export interface FaultProxy {
  readonly url: string;
  /** How often each fault happened. */
  readonly counts: Readonly<Record<Fault, number>>;
  stop(): Promise<void>;
}

/** An HTTP proxy on loopback that loses, cuts, delays and refuses exchanges, and counts its faults. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const counts: Record<Fault, number> = {
    'drop-request': 0,
    'drop-answer': 0,
    'cut-answer': 0,
    delay: 0,
    refuse: 0,
    'bad-gateway': 0,
  };
  const server = createServer((incoming, outgoing) => {
    const fault = options.fault(incoming);
    if (fault) counts[fault]++;
    exchange(incoming, outgoing, fault, options).catch(() => outgoing.socket?.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    counts,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fault: Fault | undefined,
  { targets, delayMs = 300 }: FaultProxyOptions,
): Promise<void> {
  const body = await readAll(incoming);
  if (fault === 'drop-request') return void outgoing.socket?.destroy();
  if (fault === 'refuse') return void outgoing.writeHead(503).end();
  const answer = await forward(incoming, body, targets());
  if (fault === 'drop-answer') return void outgoing.socket?.destroy();
  if (fault === 'bad-gateway') return void outgoing.writeHead(502).end();
  if (fault === 'delay') await new Promise((resolve) => setTimeout(resolve, delayMs));
  outgoing.writeHead(answer.status, answer.headers);
  if (fault !== 'cut-answer') return void outgoing.end(answer.body);
  outgoing.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), () => outgoing.socket?.destroy());
}

/** Tries the targets until one accepts the connection; a request that reached a target is never sent twice. */
async function forward(incoming: IncomingMessage, body: Buffer, targets: readonly string[]): Promise<Answer> {
  let refused: unknown = new Error('no target');
  for (const target of targets) {
    try {
      return await send(new URL(incoming.url ?? '/', target), incoming, body);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')) throw error;
      refused = error;
    }
  }
  throw refused;
}

function send(url: URL, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // Like a load balancer it keeps the caller's Host: to callers all targets are one site.
    const headers = { ...incoming.headers, 'content-length': String(body.length) };
    delete (headers as Record<string, unknown>)['transfer-encoding'];
    const outgoing = request(url, { method: incoming.method, headers }, (response) => {
      readAll(response).then(
        (received) => resolve({ status: response.statusCode ?? 502, headers: response.headers, body: received }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
