import type { IncomingMessage, ServerResponse } from 'node:http';
import { JSON_TYPE, type Answer, type JsonAnswer, type StreamAnswer, type WrittenAnswer } from './answer.ts';
import { gzipped } from './compression.ts';
import { crossOriginHeaders } from './cors.ts';
import { writePlainJson, writePrettyJson } from './plain-json.ts';

export interface Sending {
  readonly answer: Answer;
  readonly compressible: boolean;
  /** Whether the plain JSON writer indents. */
  readonly pretty: boolean;
  /** Whether a page of any origin may read the answer. */
  readonly forPages: boolean;
}

/**
 * A client that has more than this unread at so many looks in a row loses its stream. Looks, because time may pass in
 * which nobody can read: many full blocks can be made at once.
 */
const MAX_UNREAD_BYTES = 16_000_000;
const MAX_UNREAD_LOOKS = 10;
const LOOK_MS = 500;

/** Writes an answer, compresses it if asked, and sends it; does nothing when the client is gone. */
export async function sendAnswer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  sending: Sending,
  lookMs = LOOK_MS,
): Promise<void> {
  const { answer } = sending;
  if ('cut' in answer) outgoing.destroy();
  else if ('begin' in answer) sendStream(outgoing, answer, lookMs);
  else await sendWritten(incoming, outgoing, { ...sending, answer: written(answer, sending.pretty) });
}

function sendStream(outgoing: ServerResponse, { status, contentType, begin }: StreamAnswer, lookMs: number): void {
  // Nothing would say once more that the client is gone.
  if (outgoing.destroyed) return;
  outgoing.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).flushHeaders();
  const gone = begin({ write: (text) => void outgoing.write(text), end: () => void outgoing.end() });
  let looks = 0;
  const look = setInterval(() => {
    looks = outgoing.writableLength > MAX_UNREAD_BYTES ? looks + 1 : 0;
    if (looks > MAX_UNREAD_LOOKS) outgoing.destroy();
  }, lookMs);
  outgoing.once('close', () => {
    clearInterval(look);
    gone();
  });
}

async function sendWritten(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { answer, compressible, forPages }: Sending & { readonly answer: WrittenAnswer },
): Promise<void> {
  const { status, contentType, body, headers: own } = answer;
  const headers: Record<string, string | number> = { ...(forPages && crossOriginHeaders(incoming.headers)), ...own };
  if (body === undefined || body.length === 0 || incoming.method === 'HEAD') {
    if (status !== 204) headers['content-length'] = 0;
    outgoing.writeHead(status, headers).end();
    return;
  }
  if (contentType !== undefined) headers['content-type'] = contentType;
  const compress = compressible && incoming.headers['accept-encoding']?.includes('gzip') === true;
  if (compress) headers['content-encoding'] = 'gzip';
  // Node sends a string together with the headers, in one write.
  const sent = compress ? await gzipped(typeof body === 'string' ? Buffer.from(body) : body) : body;
  headers['content-length'] = Buffer.byteLength(sent);
  outgoing.writeHead(status, headers).end(sent);
}

function written(answer: JsonAnswer | WrittenAnswer, pretty: boolean): WrittenAnswer {
  if (!('json' in answer)) return answer;
  const body = pretty ? writePrettyJson(answer.json) : writePlainJson(answer.json);
  return { status: answer.status, contentType: JSON_TYPE, body, ...(answer.headers && { headers: answer.headers }) };
}
