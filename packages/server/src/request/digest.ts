import { createHash } from 'node:crypto';

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
