import { X402Error } from '@avm402/core/errors';
import { BAZAAR } from '@avm402/core/discovery';
import { canonicalNetwork, isAlgorandNetwork } from '@avm402/core/network';
import * as z from 'zod';
import type { CatalogueQuery } from '../discovery/catalogue.ts';
import { parsedQuery } from './parsed-query.ts';

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 20;
const MAX_WORDS = 8;

type Query = Omit<CatalogueQuery, 'since'>;

const number = z
  .string()
  .regex(/^\d{1,6}$/, 'must be a whole number')
  .transform(Number);
/** Printable, because a database may take no text with a NUL in it. */
const name = z.string().regex(/^[\x20-\x7e]{0,128}$/, 'must be printable ASCII, 128 characters at most');
const filter = {
  type: z.enum(['http', 'mcp']).optional(),
  payTo: name.optional(),
  scheme: name.optional(),
  network: name.optional(),
  extensions: name.optional(),
  // Some clients ask for a thousand at once, and advance by the number that they get.
  limit: number.default(DEFAULT_LIMIT).transform((limit) => Math.max(1, Math.min(limit, MAX_LIMIT))),
};
/** The parameters of each route of the catalogue. */
export const listingQuery = z.object({ ...filter, offset: number.default(0) });
export const searchQuery = z.object({ ...filter, query: z.string().min(1).max(200), cursor: number.default(0) });
export const explanationQuery = z.object({ url: z.string().min(1).max(4_096) });

/**
 * Parses the query of `GET /discovery/resources`.
 * @throws X402Error `invalid_query`, which names each parameter that is wrong
 */
export function parseListingQuery(parameters: unknown): Query {
  const { offset, ...rest } = parsedQuery(listingQuery, parameters);
  return { ...queryOf(rest), offset };
}

/**
 * Parses the query of `GET /discovery/search`, which asks for entries with all words of a text.
 * @throws X402Error `invalid_query`, which names each parameter that is wrong
 */
export function parseSearchQuery(parameters: unknown): Query {
  const { query, cursor, ...rest } = parsedQuery(searchQuery, parameters);
  const words = query.toLowerCase().split(/[\s\p{Cc}]+/u);
  return { ...queryOf(rest), words: words.filter((word) => word !== '').slice(0, MAX_WORDS), offset: cursor };
}

function queryOf({ extensions, network, ...rest }: Omit<z.output<typeof listingQuery>, 'offset'>) {
  assertBazaar(extensions);
  return { ...rest, network: network === undefined ? undefined : algorandNetwork(network) };
}

/** Only the extension `bazaar` can be asked for: every entry has it, and no other one. */
function assertBazaar(extensions: string | undefined): void {
  if (extensions === undefined || extensions === BAZAAR) return;
  throw new X402Error('invalid_query', { message: `extensions: entries have only the extension ${BAZAAR}` });
}

function algorandNetwork(network: string): NonNullable<Query['network']> {
  if (isAlgorandNetwork(network)) return canonicalNetwork(network);
  throw new X402Error('invalid_query', { message: 'network: must be a CAIP-2 id of an Algorand network' });
}
