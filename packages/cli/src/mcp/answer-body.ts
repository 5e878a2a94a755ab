import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { textOf } from '../words/response-body.ts';

/** The most bytes of a body that are handed to the host. */
const MAX_BYTES = 2_000_000;

/** A response's body as content of a tool's result: text, an image, or the bytes; a body longer than 2 MB is cut. */
export async function bodyContent(response: Response): Promise<ContentBlock[]> {
  const { bytes, isCut } = await readUpTo(response, MAX_BYTES);
  if (bytes.length === 0) return [];
  const note: ContentBlock[] = isCut ? [{ type: 'text', text: `(cut after ${bytes.length} bytes)` }] : [];
  return [content(response, bytes), ...note];
}

function content(response: Response, bytes: Buffer): ContentBlock {
  const text = textOf(response, bytes);
  if (text !== undefined) return { type: 'text', text };
  const mimeType = response.headers.get('Content-Type') ?? 'application/octet-stream';
  const data = bytes.toString('base64');
  if (mimeType.startsWith('image/')) return { type: 'image', mimeType, data };
  return { type: 'resource', resource: { uri: response.url, mimeType, blob: data } };
}

async function readUpTo(
  response: Response,
  limit: number,
): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) break;
  }
  const bytes = Buffer.concat(chunks);
  if (length <= limit) return { bytes, isCut: false };
  return { bytes: bytes.subarray(0, characterStart(bytes, limit)), isCut: true };
}

/** The last index up to `at` at which a UTF-8 character starts. */
function characterStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > at - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--;
  return start;
}
