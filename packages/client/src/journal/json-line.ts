import * as z from 'zod/mini';
import { decodeBase64, encodeBase64 } from '@avm402/algorand/base64';
import { isNetwork, type Network } from '@avm402/core/network';

/** An integer of up to 64 bits, which JSON holds as decimal digits. */
export const decimal = z.pipe(
  z.string().check(z.regex(/^\d{1,20}$/)),
  z.transform((digits: string) => BigInt(digits)),
);
export const text = z.string().check(z.maxLength(2048));
export const network = z.custom<Network>((value) => typeof value === 'string' && isNetwork(value));
/** Bytes, which JSON holds as base64. */
export const bytes = z.pipe(z.string().check(z.maxLength(8192)), z.transform(bytesOf));

function bytesOf(base64: string): Uint8Array {
  const decoded = decodeBase64(base64);
  if (decoded === undefined) throw new TypeError('not base64');
  return decoded;
}

/** A value as JSON: a bigint as decimal digits, bytes as base64. */
export function toJson(value: object): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member === 'bigint') return member.toString();
    return member instanceof Uint8Array ? encodeBase64(member) : member;
  });
}

/** What a schema reads in JSON; undefined if it is anything else. */
export function fromJson<T>(schema: z.ZodMiniType<T>, json: string): T | undefined {
  try {
    return schema.parse(JSON.parse(json));
  } catch {
    return undefined;
  }
}
