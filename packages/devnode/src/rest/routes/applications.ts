import { encode } from '../../codec/document.ts';
import { accountApplication } from '../../codec/schema/account.ts';
import { notFound } from '../../errors.ts';
import type { AccountState } from '../../queries/account-record.ts';
import type { Queries } from '../../queries/queries.ts';
import { jsonAnswer, msgpackAnswer, type Answer } from '../answer.ts';
import { pathAddress, pathUint64, queryList, queryText, queryUint64 } from '../parameter.ts';
import type { Json } from '../plain-json.ts';
import { route, type Route } from '../route.ts';
import { applicationParamsJson, localStateJson } from './application-json.ts';
import { formatParameter, parseFormat } from './format.ts';
import { parsePage, type Page } from './page.ts';
import { refuseUnstorable } from './stored-id.ts';

const MAX_PAGE = 100_000;
const MAX_PAGE_WITH_PARAMS = 1000;
const PAGE = 1000;

/** Applications by id, and those in which an account has a part. */
export function applicationRoutes(queries: Queries): Route[] {
  return [
    route({
      path: '/v2/accounts/:address/applications',
      summary: 'An account’s applications, in pages.',
      parameters: {
        address: pathAddress(),
        limit: queryUint64('Applications a page, 1 to 100000, or 1000 with their parameters.'),
        next: queryText('An application id: the page holds larger ones.'),
        include: queryList('`params`: with the applications’ parameters.'),
      },
      handle({ address, limit, next, include }) {
        const withParams = include?.includes('params') === true;
        const maxLimit = withParams ? MAX_PAGE_WITH_PARAMS : MAX_PAGE;
        const page = parsePage({ limit, next, maxLimit, usual: PAGE, things: 'applications' });
        refuseUnstorable(page.after);
        return pageAnswer(queries, address, { ...page, withParams });
      },
    }),
    route({
      path: '/v2/accounts/:address/applications/:application-id',
      summary: 'One application of an account.',
      parameters: {
        address: pathAddress(),
        'application-id': pathUint64('An application id.'),
        format: formatParameter,
      },
      handle(parameters) {
        const { address, 'application-id': id } = parameters;
        const format = parseFormat(parameters.format);
        refuseUnstorable(id);
        const part = queries.accountApplication(address, id);
        if (part === undefined) throw notFound('account application info not found');
        if (format === 'msgpack') return msgpackAnswer(encode(accountApplication, part));
        return jsonAnswer({
          'app-local-state': part.localState && localStateJson(id, part.localState),
          'created-app': part.params && applicationParamsJson(address, part.params),
          round: queries.latestRound,
        });
      },
    }),
    route({
      path: '/v2/applications/:application-id',
      summary: 'An application.',
      parameters: { 'application-id': pathUint64('An application id.') },
      handle(parameters) {
        const id = parameters['application-id'];
        refuseUnstorable(id);
        const application = queries.application(id);
        if (!application) throw notFound('application does not exist');
        return jsonAnswer({ id, params: applicationParamsJson(application.creator, application.params) });
      },
    }),
  ];
}

function pageAnswer(
  queries: Queries,
  address: Uint8Array,
  { limit, after, withParams }: Page & { readonly withParams: boolean },
): Answer {
  const state = queries.account(address);
  const rest = idsOf(state).filter((id) => id > after);
  const page = rest.slice(0, limit);
  return jsonAnswer({
    'application-resources': page.map((id) => resourceJson(queries, address, { id, withParams })),
    'next-token': rest.length > page.length ? String(page.at(-1)) : undefined,
    round: state.round,
  });
}

/** Applications that an account created or opted in to, ascending. */
function idsOf({ localStates, applications }: AccountState): bigint[] {
  const ids = new Set([...localStates, ...applications].map(([id]) => id));
  return [...ids].sort((a, b) => (a < b ? -1 : 1));
}

function resourceJson(
  queries: Queries,
  address: Uint8Array,
  { id, withParams }: { readonly id: bigint; readonly withParams: boolean },
): Json {
  const localState = queries.accountApplication(address, id)?.localState;
  const application = queries.application(id);
  return {
    'app-local-state': localState && localStateJson(id, localState),
    deleted: application === undefined || undefined,
    id,
    params: withParams && application ? applicationParamsJson(application.creator, application.params) : undefined,
  };
}
