import { once } from 'node:events';
import { request, type Agent, type IncomingMessage } from 'node:http';
import type { RecordedRequest } from './recording.ts';

/** An answer as it came over the socket: nothing decompressed, nothing parsed. */
export interface Answer {
  readonly status: number;
  readonly contentType: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Sends a recorded request as it was sent to algod: same path bytes, same framing, no header added but Host and Connection. */
export async function exchange(origin: string, agent: Agent, recorded: RecordedRequest): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  const body = requestBody(recorded);
  const headers: Record<string, string> = { ...recorded.headers };
  if (recorded.chunked) headers['transfer-encoding'] = 'chunked';
  else if (body.length > 0 || recorded.method === 'POST') headers['content-length'] = String(body.length);
  const outgoing = request({ hostname, port, agent, method: recorded.method, path: recorded.path, headers });
  const answered = once(outgoing, 'response');
  outgoing.end(body);
  const [incoming] = (await answered) as [IncomingMessage];
  // A server that refuses a body may close before it has read all of it.
  outgoing.on('error', () => {});
  return collect(incoming);
}

function requestBody({ bodyBase64 = '', bodyRepeat }: RecordedRequest): Buffer {
  if (!bodyRepeat) return Buffer.from(bodyBase64, 'base64');
  const prefix = Buffer.from(bodyRepeat.prefixBase64 ?? '', 'base64');
  return Buffer.concat([prefix, Buffer.alloc(bodyRepeat.length - prefix.length, bodyRepeat.byte)]);
}

async function collect(incoming: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
  return {
    status: incoming.statusCode ?? 0,
    contentType: incoming.headers['content-type'] ?? null,
    headers,
    body: Buffer.concat(chunks),
  };
}
