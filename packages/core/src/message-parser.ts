import { z } from 'zod';
import { X402Error, type X402ErrorCode } from './errors.ts';
import { whyNotBounded } from './json-bounds.ts';
import { isNetwork, type Network } from './network.ts';

/** An optional member that peers may send as null; a null is dropped. */
export function optional<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => value ?? undefined, schema.optional());
}

export const network = z.custom<Network>(
  (value) => typeof value === 'string' && isNetwork(value),
  'not a CAIP-2 network id',
);

/** An object whose members the protocol leaves open: `extra`, `extensions`, `payload`. */
export const openObject = z.record(z.string().max(256), z.unknown());

export const x402Version = z.number().int().min(1).max(100);

/** Makes the parser of one message: bounds first, then shape. Its errors carry `code` and name the member. */
export function messageParser<T>(code: X402ErrorCode, schema: z.ZodType): (input: unknown) => T {
  return (input) => {
    const reason = whyNotBounded(input);
    if (reason !== undefined) throw new X402Error(code, { message: `the message has ${reason}` });
    const result = schema.safeParse(input);
    if (!result.success) throw new X402Error(code, { message: describe(result.error) });
    return withoutUndefined(result.data) as T;
  };
}

function describe(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.join('.') ?? '';
  return path === '' ? (issue?.message ?? 'not a message') : `${path}: ${issue?.message}`;
}

/** Optional members that are absent stay absent, so that messages compare and encode as they came. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutUndefined(member)]));
}
