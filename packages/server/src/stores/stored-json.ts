import * as z from 'zod/mini';
import { X402Error } from '@avm402/core/errors';
import { parsePaymentRequirements } from '@avm402/core/payment-requirements';

/** A number of any size, which JSON holds as decimal digits. */
export const decimal = z.pipe(
  z.string().check(z.regex(/^\d+$/)),
  z.transform((digits: string) => BigInt(digits)),
);
export const requirements = z.pipe(z.unknown(), z.transform(parsePaymentRequirements));
/** A kept response without its body, which has a column of its own. */
export const responseHead = z.object({
  status: z.int(),
  headers: z.array(z.tuple([z.string(), z.union([z.string(), z.array(z.string())])])),
  keptUntil: z.number(),
});

/** A value as JSON: a bigint as decimal digits. */
export function toJson(value: object): string {
  return JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? member.toString() : member));
}

/**
 * Reads a row's JSON by a schema.
 * @throws X402Error `store_unavailable` if the row is damaged, or if a later version has written it
 */
export function fromJson<T>(schema: z.ZodMiniType<T>, json: string): T {
  try {
    return schema.parse(JSON.parse(json));
  } catch (cause) {
    throw new X402Error('store_unavailable', { message: "a row of the store can't be read", cause });
  }
}
