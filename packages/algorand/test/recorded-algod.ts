import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One exchange with a real algod (v5.0.0). */
interface Exchange {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string | null;
  readonly body?: string;
  readonly bodyBase64?: string;
}

const EXCHANGES: Exchange[] = JSON.parse(readFileSync(new URL('vectors/algod-answers.json', import.meta.url), 'utf8'));

export const TOKEN = 'a'.repeat(64);

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly token: string | string[] | undefined;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
}

export function recorded(name: string): Exchange {
  const exchange = EXCHANGES.find((candidate) => candidate.name === name);
  if (exchange === undefined) throw new Error(`no recording is named ${name}`);
  return exchange;
}

/** A server that answers with the recordings named, wherever below `prefix` their path is asked for. */
export async function startRecordedAlgod(names: readonly string[], prefix = ''): Promise<TestServer> {
  const exchanges = names.map(recorded);
  return startServer((request, response) => {
    const match = exchanges.find(({ method, path }) => method === request.method && `${prefix}${path}` === request.url);
    if (match === undefined) {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"message":"Not Found"}\n');
      return;
    }
    const body = match.bodyBase64 === undefined ? match.body : Buffer.from(match.bodyBase64, 'base64');
    response.writeHead(match.status, match.contentType === null ? {} : { 'Content-Type': match.contentType }).end(body);
  });
}

/** A server on a free port that keeps what it received. */
export async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<TestServer> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      const token = headers['x-algo-api-token'];
      requests.push({ method, url, token, contentType: headers['content-type'], body: Buffer.concat(chunks) });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
