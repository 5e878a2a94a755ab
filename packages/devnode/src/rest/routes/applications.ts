import { DevnodeError } from '../../errors.ts';
import type { Queries } from '../../queries/queries.ts';
import { jsonAnswer, type Answer } from '../answer.ts';
import { pathAddress, pathUint64, queryList, queryText, queryUint64, required } from '../parameter.ts';
import { route, type Route } from '../route.ts';
import { parsePage } from './page.ts';
import { refuseUnstorable } from './stored-id.ts';

const MAX_PAGE = 100_000;
const MAX_PAGE_WITH_PARAMS = 1000;
const BOX_NAME_ENCODINGS: ReadonlySet<string> = new Set(
  'str string int integer addr address b32 base32 b64 base64 abi'.split(' '),
);

/** Applications. This node does not run any, so look-ups find nothing. */
export function applicationRoutes(queries: Queries): Route[] {
  // Differs from algod: no-applications
  return [...accountApplicationRoutes(queries), ...boxRoutes(queries)];
}

function accountApplicationRoutes(queries: Queries): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v2/accounts/:address/applications',
      summary: 'An account’s applications, in pages.',
      parameters: {
        address: pathAddress(),
        limit: queryUint64('Applications a page, 1 to 100000, or 1000 with their parameters.'),
        next: queryText('An application id: the page holds larger ones.'),
        include: queryList('`params`: with the applications’ parameters.'),
      },
      handle({ limit, next, include }) {
        const maxLimit = include?.includes('params') === true ? MAX_PAGE_WITH_PARAMS : MAX_PAGE;
        parsePage({ limit, next, maxLimit, things: 'applications' });
        return jsonAnswer({ 'application-resources': [], round: queries.latestRound });
      },
    }),
    route({
      method: 'GET',
      path: '/v2/accounts/:address/applications/:application-id',
      summary: 'One application of an account.',
      parameters: { address: pathAddress(), 'application-id': pathUint64('An application id.') },
      handle(parameters) {
        refuseUnstorable(parameters['application-id']);
        return notFound('account application info not found');
      },
    }),
    route({
      method: 'GET',
      path: '/v2/applications/:application-id',
      summary: 'An application.',
      parameters: { 'application-id': pathUint64('An application id.') },
      handle(parameters) {
        refuseUnstorable(parameters['application-id']);
        return notFound('application does not exist');
      },
    }),
  ];
}

function boxRoutes(queries: Queries): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v2/applications/:application-id/boxes',
      summary: 'Names of an application’s boxes.',
      parameters: {
        'application-id': pathUint64('An application id.'),
        max: queryUint64('How many boxes at most.'),
        limit: queryUint64('Boxes a page.'),
        next: queryText('A box name: the page begins after it.'),
        prefix: queryText('Beginning of the names wanted.'),
        include: queryList('`values`: with the boxes’ contents.'),
        round: queryUint64('The round to look at.'),
      },
      handle({ limit, next, prefix, include, round }) {
        if (round !== undefined && round > queries.latestRound) {
          throw new DevnodeError('refused', 'given round is greater than the latest round');
        }
        const paged = [limit, next, prefix, include, round].some((given) => given !== undefined);
        return jsonAnswer(paged ? { boxes: [], round: queries.latestRound } : { boxes: [] });
      },
    }),
    route({
      method: 'GET',
      path: '/v2/applications/:application-id/box',
      summary: 'One box of an application.',
      parameters: {
        'application-id': pathUint64('An application id.'),
        name: required(queryText('`encoding:value`, e.g. `str:name`.')),
      },
      handle: ({ name }) => boxAnswer(name),
    }),
  ];
}

function boxAnswer(name: string): Answer {
  const at = name.indexOf(':');
  if (at === -1) {
    throw new DevnodeError('refused', "all arguments and box names should be of the form 'encoding:value'");
  }
  const encoding = name.slice(0, at);
  if (!BOX_NAME_ENCODINGS.has(encoding)) throw new DevnodeError('refused', `Unknown encoding: ${encoding}`);
  return notFound('box not found');
}

function notFound(message: string): never {
  throw new DevnodeError('not_found', message, { status: 404 });
}
