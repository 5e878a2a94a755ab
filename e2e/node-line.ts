import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type Served, served } from './served.ts';

/** A node's answer. */
export interface NodeAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
}

export interface NodeRequest {
  /** With its query. */
  readonly path: string;
  readonly body: Buffer<ArrayBuffer>;
}

/**
 * Stands between a node and its callers.
 * @param change - gives the answer to a request; `ask` passes the request on, with another body if one is given
 */
export function startNodeLine(
  nodeUrl: string,
  change: (request: NodeRequest, ask: (body?: Buffer<ArrayBuffer>) => Promise<NodeAnswer>) => Promise<NodeAnswer>,
): Promise<Served> {
  return served((incoming, outgoing) => {
    const { url: path = '/' } = incoming;
    const answer = buffer(incoming).then((body) =>
      change({ path, body }, (sent = body) => askNode(nodeUrl + path, incoming, sent)),
    );
    answer.then(
      ({ status, type, body }) => outgoing.writeHead(status, { 'content-type': type }).end(body),
      () => outgoing.destroy(),
    );
  });
}

async function askNode(url: string, incoming: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<NodeAnswer> {
  const { method = 'GET', headers } = incoming;
  const response = await fetch(url, {
    method,
    headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      ['host', 'connection', 'content-length'].includes(name) ? [] : [[name, String(value)]],
    ),
    ...(method !== 'GET' && { body }),
  });
  const type = response.headers.get('content-type') ?? 'text/plain';
  return { status: response.status, type, body: Buffer.from(await response.arrayBuffer()) };
}
