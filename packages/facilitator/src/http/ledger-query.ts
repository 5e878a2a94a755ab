import { isAddress } from '@avm402/algorand/address';
import * as z from 'zod';
import { type LedgerQuery, parseCursor } from '../settlement/ledger.ts';
import { SETTLEMENT_STATES } from '../settlement/settlement.ts';
import { parsedQuery } from './parsed-query.ts';

export const MAX_PAGE = 1_000;
const MAX_RECEIVERS = 100;

const address = z.string().refine(isAddress, 'must be an Algorand address');
const time = z
  .string()
  .regex(
    /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/,
    'must be a day or a time in UTC, as 2026-03-01 or 2026-03-01T12:00Z',
  )
  .transform((text) => ({ day: Number(text.slice(8, 10)), date: new Date(text) }))
  // `Date` takes a 30th of February for a day in March.
  .refine(({ day, date }) => date.getUTCDate() === day, 'is not a time')
  .transform(({ date }) => date.getTime());
const several = <Item extends z.ZodType<string, string>>(item: Item) =>
  z.union([z.string().transform((one) => [one]), z.array(z.string())]).pipe(z.array(item).max(MAX_RECEIVERS));

export const ledgerQuery = z.strictObject({
  receiver: several(address).optional(),
  payer: address.optional(),
  state: several(z.enum(SETTLEMENT_STATES)).optional(),
  from: time.optional(),
  until: time.optional(),
  cursor: z.string().max(200).optional(),
  limit: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(1).max(MAX_PAGE))
    .default(100),
  format: z.enum(['json', 'csv']).default('json'),
});

/**
 * Parses the parameters of a URL or of the command line. A receiver and a state may be given several times.
 * @throws X402Error `invalid_query`, which names each parameter that is wrong
 */
export function parseLedgerQuery(parameters: unknown): LedgerQuery & { readonly format: 'json' | 'csv' } {
  const { receiver: receivers, state: states, cursor, ...rest } = parsedQuery(ledgerQuery, parameters);
  return { ...rest, receivers, states, after: cursor === undefined ? undefined : parseCursor(cursor) };
}
