import * as z from 'zod/mini';
import { X402Error, type X402ErrorCode } from './errors.ts';
import { issueWords } from './issue-words.ts';
import { whyNotBounded } from './json-bounds.ts';
import type { Network } from './network.ts';

/** An optional member that peers may send as null; null is dropped. */
export function optional<T extends z.ZodMiniType>(schema: T) {
  return orDefault(z.optional(schema), undefined);
}

/** A member with a default for when peers leave it out or send null. */
export function orDefault<T extends z.ZodMiniType>(schema: T, value: unknown) {
  return z.pipe(
    z.transform((sent) => sent ?? value),
    schema,
  );
}

/** Text of at most `max` characters. */
export function text(max: number) {
  return z.string().check(z.maxLength(max));
}

/** Text of 1 to `max` characters. */
export function someText(max: number) {
  return z.string().check(z.minLength(1), z.maxLength(max));
}

/** A list of at most `max` items. */
export function list<T extends z.ZodMiniType>(schema: T, max: number) {
  return z.array(schema).check(z.maxLength(max));
}

/**
 * A network as an offer names it. Only its outline is checked, because one offer on a chain unknown here must not spoil
 * the others. Code that uses the network checks it with `isAlgorandNetwork` or `parseNetwork`.
 */
export const network = z.custom<Network>(
  (value) => typeof value === 'string' && value.length <= 128 && /^[^\s:]+:\S+$/.test(value),
  'not a CAIP-2 network id',
);

/** A network as a facilitator's answer names it: empty in a failure, `base-sepolia` in kinds of version 1. */
export const anyNetwork = z.custom<Network>((value) => typeof value === 'string' && value.length <= 128, 'not a text');

/** An object whose members the protocol leaves open: `extra`, `extensions`, `payload`. */
export const openObject = z.record(text(256), z.unknown());

export const x402Version = z.int().check(z.gte(1), z.lte(100));

/** A message type as its schema reads it: an optional member may also be undefined. */
type Read<T> = T extends object
  ? { [K in keyof T]: object extends Pick<T, K> ? Read<T[K]> | undefined : Read<T[K]> }
  : T;

/**
 * Creates the parser of one message: it checks bounds, then shape. Its errors carry `code` and name the member at
 * fault.
 */
export function messageParser<T>(code: X402ErrorCode, schema: z.ZodMiniType<Read<T>>): (input: unknown) => T {
  return (input) => {
    const reason = whyNotBounded(input);
    if (reason !== undefined) throw new X402Error(code, { message: `the message has ${reason}` });
    const result = schema.safeParse(input, { error: issueWords });
    if (!result.success) throw new X402Error(code, { message: firstIssue(result.error) });
    return withoutUndefined(result.data) as T;
  };
}

const UNPRINTABLE = /[^ -~]/g;

/** The first issue and its path, for an error message. The path may contain a key from outside, so its length is limited. */
export function firstIssue(error: z.core.$ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.join('.').slice(0, 100).replace(UNPRINTABLE, '?') ?? '';
  return path === '' ? (issue?.message ?? 'not a message') : `${path}: ${issue?.message}`;
}

/** Drops undefined members, so that messages compare and encode as they came. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  const members: Readonly<Record<string, unknown>> = Object(value);
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(members)) {
    if (members[key] !== undefined) kept[key] = withoutUndefined(members[key]);
  }
  return kept;
}
