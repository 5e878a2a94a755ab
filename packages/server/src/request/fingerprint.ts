import { createHash } from 'node:crypto';
import type { RequestFacts } from './request-facts.ts';

/** Bytes of a request body up to which a request can be told from others; larger ones get no stored response. */
const MAX_BODY_BYTES = 1_048_576;

/** A hash over texts, or bytes in parts, that no other list of them has. */
export function digestOf(items: readonly (string | readonly Uint8Array[])[]): string {
  const hash = createHash('sha256');
  for (const item of items) {
    const parts = typeof item === 'string' ? [Buffer.from(item)] : item;
    hash.update(`${parts.reduce((bytes, { length }) => bytes + length, 0)}:`);
    for (const part of parts) hash.update(part);
  }
  return hash.digest('hex');
}

/**
 * What a request asks for, but for its body: method, host, and URL, as it was sent and as middleware has changed it.
 */
export function requestHead({ method, host, target, url }: RequestFacts): readonly string[] {
  return [method, host, target, url];
}

/**
 * Hex SHA-256 over host, method, path, query, content type and body: two requests with one fingerprint ask for the
 * same. Undefined if the body is too large, or something else has read it and did not keep its bytes: what was made of
 * them may differ less than they do.
 * @param keep - told of the body's bytes before they are kept
 */
export async function fingerprint(request: RequestFacts, keep: (bytes: number) => void): Promise<string | undefined> {
  const body = await request.bodyParts(MAX_BODY_BYTES, keep);
  if (body === undefined) return undefined;
  return digestOf([...requestHead(request), request.header('content-type') ?? '', body]);
}
