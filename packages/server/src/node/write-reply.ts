import type { ServerResponse } from 'node:http';
import { markPriced, type Reply } from '../response/reply.ts';

/** Sends a reply, which no cache keeps unless its headers say so. `end` is called with the body. */
export function writeReply(
  response: ServerResponse,
  { status, headers, body }: Reply,
  end: (body: string | Uint8Array) => void = (bytes) => response.end(bytes),
): void {
  response.statusCode = status;
  response.setHeader('Cache-Control', 'no-store');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // RFC 9110, 8.6: a 204 has no length.
  if (status !== 204) response.setHeader('Content-Length', Buffer.byteLength(body));
  markPriced(response);
  end(body);
}
