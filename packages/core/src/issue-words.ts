import type * as z from 'zod/mini';

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items' };

/**
 * zod's English messages for what can be wrong with a message of the protocol. The whole locale would add a kilobyte to
 * every page.
 */
export function issueWords(issue: z.core.$ZodRawIssue): string {
  const { code } = issue;
  if (code === 'invalid_type') return `Invalid input: expected ${issue.expected}, received ${typeName(issue.input)}`;
  if (code === 'too_big') {
    return `Too big: expected ${issue.origin} to ${bound(issue.origin, issue.inclusive ? '<=' : '<', issue.maximum)}`;
  }
  if (code === 'too_small') {
    return `Too small: expected ${issue.origin} to ${bound(issue.origin, issue.inclusive ? '>=' : '>', issue.minimum)}`;
  }
  return code === 'invalid_key' ? `Invalid key in ${issue.origin}` : 'Invalid input';
}

function typeName(input: unknown): string {
  if (typeof input === 'number' && !Number.isFinite(input)) return String(input);
  if (input === null) return 'null';
  return Array.isArray(input) ? 'array' : typeof input;
}

function bound(origin: string, sign: string, limit: number | bigint): string {
  const unit = UNITS[origin];
  return unit === undefined ? `be ${sign}${limit}` : `have ${sign}${limit} ${unit}`;
}
