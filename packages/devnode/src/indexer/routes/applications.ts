import { DevnodeError } from '../../errors.ts';
import type { Queries } from '../../queries/queries.ts';
import { jsonAnswer, type Answer } from '../../rest/answer.ts';
import { pathAddress, pathUint64, queryText } from '../../rest/parameter.ts';
import { route, type Route } from '../../rest/route.ts';

/** Describes the parameters: there are no applications, so any value will do. */
const ANY = 'Any.';
const page = { limit: queryText(ANY), next: queryText(ANY), 'include-all': queryText(ANY) };
const search = { ...page, 'application-id': queryText(ANY), creator: queryText(ANY) };
const account = { 'account-id': pathAddress(), ...page, 'application-id': queryText(ANY) };
const logs = {
  txid: queryText(ANY),
  'min-round': queryText(ANY),
  'max-round': queryText(ANY),
  'sender-address': queryText(ANY),
};
const application = { 'application-id': pathUint64('An application id.'), ...page, ...logs, name: queryText(ANY) };

// Differs from algod: no-applications
/** Applications. There are none on this chain, so lists are empty and look-ups find nothing. */
export function applicationRoutes(queries: Queries): Route[] {
  const none = (list: string): Answer => jsonAnswer({ [list]: [], 'current-round': queries.latestRound });
  const get = { method: 'GET' } as const;
  return [
    route({
      ...get,
      path: '/v2/applications',
      summary: 'Applications: none.',
      parameters: search,
      handle: () => none('applications'),
    }),
    route({
      ...get,
      path: '/v2/accounts/:account-id/created-applications',
      summary: 'Applications that an account created: none.',
      parameters: account,
      handle: () => none('applications'),
    }),
    route({
      ...get,
      path: '/v2/accounts/:account-id/apps-local-state',
      summary: 'Applications that an account opted in to: none.',
      parameters: account,
      handle: () => none('apps-local-states'),
    }),
    ...['', '/logs', '/boxes', '/box'].map((part) =>
      route({
        ...get,
        path: `/v2/applications/:application-id${part}`,
        summary: 'An application, or a part of one: never found.',
        parameters: application,
        handle: notFound,
      }),
    ),
  ];
}

function notFound({ 'application-id': asked }: { readonly 'application-id': bigint }): never {
  throw new DevnodeError('not_found', `no application found for application-id: ${asked}`, { status: 404 });
}
