import { isIP } from 'node:net';
import { isAlgorandError } from '@avm402/algorand/errors';
import { isX402Error } from '@avm402/core/errors';
import * as z from 'zod';
import { Callers } from '../callers/callers.ts';

const MAX_UINT64 = 2n ** 64n - 1n;

export const text = z.string().trim();
export const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .transform((value) => value === 'true')
  .optional();
export const units = text
  .regex(/^\d{1,20}$/, 'must be a whole number of atomic units')
  .transform(BigInt)
  .pipe(z.bigint().max(MAX_UINT64));
export const httpUrl = text
  .refine((url) => /^https?:/.test(url) && URL.canParse(url), 'must be a URL with http or https')
  .optional();

/** The parts between commas; an empty part counts. */
export function placesOf(value: string): string[] {
  return value.split(',').map((item) => item.trim());
}

export function itemsOf(value: string): string[] {
  return placesOf(value).filter((item) => item !== '');
}

export function places(place: z.ZodType<string, string>) {
  return z.string().transform(placesOf).pipe(z.array(place)).default([]);
}

export function listOf(isRight: (item: string) => boolean, problem: string) {
  return z
    .string()
    .transform(itemsOf)
    .pipe(z.array(z.string().refine(isRight, problem)));
}

/** A list of at least one item that `parse` accepts. Messages are those of `parse`, which never quotes a secret. */
export function parsedList(parse: (item: string) => unknown) {
  const item = z.string().superRefine((value, context) => {
    try {
      parse(value);
    } catch (error) {
      if (!isAlgorandError(error)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  });
  return z.string().transform(itemsOf).pipe(z.array(item).min(1, 'is empty'));
}

export function integer(min: number, max: number) {
  return z
    .string()
    .trim()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max));
}

export function readCallers(path: string, context: z.RefinementCtx): Callers {
  try {
    return Callers.read(path);
  } catch (error) {
    if (!isX402Error(error)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
}

export function isIpOrBlock(place: string): boolean {
  const [address = '', bits, more] = place.split('/');
  const version = isIP(address);
  if (version === 0 || more !== undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

export function isOrigin(origin: string): boolean {
  return URL.canParse(origin) && new URL(origin).origin === origin;
}
