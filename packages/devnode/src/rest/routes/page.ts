import { refused } from '../../errors.ts';
import { GoError, goParseUint } from '../go-text.ts';

/** A page of a list that is sorted by id. */
export interface Page {
  readonly limit: number;
  /** All ids on the page are larger than this. */
  readonly after: bigint;
}

export interface PageOptions {
  readonly limit: bigint | undefined;
  readonly next: string | undefined;
  readonly maxLimit: number;
  /** The limit unless one is given. Default: the most. */
  readonly usual?: number;
  /** The name of the list's entries, for the message. */
  readonly things: 'assets' | 'applications';
}

/** Reads `next`, then `limit`, because algod checks them in this order. */
export function parsePage({ limit, next, maxLimit, usual = maxLimit, things }: PageOptions): Page {
  const after = next === undefined ? 0n : goParseUint(next);
  if (after instanceof GoError) throw refused(`unable to parse next token: ${after.text}`);
  if (limit === 0n) throw refused('limit parameter must be a positive integer');
  if (limit !== undefined && limit > maxLimit) {
    throw refused(`limit ${limit} exceeds max ${things} single batch limit ${maxLimit}`);
  }
  return { limit: Number(limit ?? usual), after };
}
