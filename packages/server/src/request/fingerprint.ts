import { createHash } from 'node:crypto';
import type { RequestFacts } from './request-facts.ts';

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
 * Hex SHA-256 over host, method, path, query, content type and body, given in parts: two requests with the same
 * fingerprint ask for the same.
 */
export function fingerprint(request: RequestFacts, body: readonly Uint8Array[]): string {
  return digestOf([...requestHead(request), request.header('content-type') ?? '', body]);
}
