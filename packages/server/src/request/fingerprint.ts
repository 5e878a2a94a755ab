import { createHash } from 'node:crypto';
import type { RequestFacts } from './request-facts.ts';

/** Largest body, in bytes, by which requests are told apart; requests with a larger one get no stored response. */
const MAX_BODY_BYTES = 1_048_576;

/** A hash over texts, or bytes in parts, that differs for every list of them. */
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
 * What a request asks for, except for its body: method, host, and URL, both as sent and as middleware has changed it.
 */
export function requestHead({ method, host, target, url }: RequestFacts): readonly string[] {
  return [method, host, target, url];
}

/**
 * Hex SHA-256 over host, method, path, query, content type and body: two requests with the same fingerprint ask for the
 * same. Undefined if the body is too large, or if something else has read it and did not keep its bytes: what was
 * parsed from two bodies may be the same although the bytes differ.
 * @param keep - called with the number of bytes of each part of the body before it is kept
 */
export async function fingerprint(request: RequestFacts, keep: (bytes: number) => void): Promise<string | undefined> {
  const body = await request.bodyParts(MAX_BODY_BYTES, keep);
  if (body === undefined) return undefined;
  return digestOf([...requestHead(request), request.header('content-type') ?? '', body]);
}
