import { BAZAAR } from '@avm402/core/discovery';
import { encodeBase64 } from '@avm402/algorand/base64';
import { X402_VERSION } from '@avm402/core/payment-required';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { CatalogueEntry } from '../discovery/catalogue.ts';
import type { Discovery, ListingResponse } from '../discovery/discovery.ts';
import { explanationQuery, listingQuery, parseListingQuery, parseSearchQuery, searchQuery } from './discovery-query.ts';
import { parsedQuery } from './parsed-query.ts';
import { NOT_LISTED } from '../discovery/not-listed.ts';
import { INVALID, ok } from './openapi/operation.ts';

const LISTING = {
  summary: 'The catalogue of what was sold',
  query: listingQuery,
  answers: [ok('A page', 'ResourcePage'), INVALID],
};
const SEARCH = {
  summary: 'Entries of the catalogue that have all words of a query',
  query: searchQuery,
  answers: [ok('What was found', 'ResourceSearch'), INVALID],
};
const EXPLANATION = {
  summary: 'Why a resource is or is not in the catalogue',
  query: explanationQuery,
  answers: [ok('The entries, or the reason', 'Explanation'), INVALID],
};

/** Serves the catalogue as stock's `withBazaar` reads it, and why a resource is or is not in it. Needs no key. */
export function addDiscoveryRoutes(app: FastifyInstance, discovery: Discovery): void {
  app.get('/discovery/resources', { config: LISTING }, async ({ query }) => {
    const asked = parseListingQuery(query);
    const { entries, total } = await discovery.find(asked);
    const { limit, offset } = asked;
    return { x402Version: X402_VERSION, items: entries.map(resourceOf), pagination: { limit, offset, total } };
  });

  app.get('/discovery/search', { config: SEARCH }, async ({ query }) => {
    const asked = parseSearchQuery(query);
    const { entries, total } = await discovery.find(asked);
    const next = asked.offset + entries.length;
    const cursor = entries.length > 0 && next < total ? String(next) : null;
    return {
      x402Version: X402_VERSION,
      resources: entries.map(resourceOf),
      pagination: { limit: asked.limit, cursor },
    };
  });

  app.get('/discovery/why', { config: EXPLANATION }, async ({ query }) => {
    const { url } = parsedQuery(explanationQuery, query);
    const explanation = await discovery.why(url);
    if (explanation.listed) return { url, listed: true, resources: explanation.entries.map(resourceOf) };
    const { reason } = explanation;
    return { url, listed: false, reason, message: NOT_LISTED[reason] };
  });
}

/** Adds the result of the listing to the answer of settle, for the seller's server. */
export function tellListing(reply: FastifyReply, response: ListingResponse | undefined): void {
  if (response === undefined) return;
  const header = encodeBase64(new TextEncoder().encode(JSON.stringify({ [BAZAAR]: response })));
  reply.header('EXTENSION-RESPONSES', header);
}

/** An entry in x402's form (`DiscoveryResource`); an extension of ours says whether the operator knows the seller. */
function resourceOf({ resource, type, listed, updatedAt, about, accepts, bazaar }: CatalogueEntry) {
  return {
    resource,
    type,
    x402Version: X402_VERSION,
    accepts,
    lastUpdated: new Date(updatedAt).toISOString(),
    ...about,
    extensions: { [BAZAAR]: bazaar, seller: { info: { isListed: listed } } },
  };
}
