import { ascending } from '../../codec/ascending.ts';
import { notFound } from '../../errors.ts';
import { MAX_INT64 } from '../../codec/integer.ts';
import type { Queries } from '../../queries/queries.ts';
import { jsonAnswer } from '../../rest/answer.ts';
import { pathAddress, pathUint64, queryBoolean, queryUint64, type Bound } from '../../rest/parameter.ts';
import { route, type Route } from '../../rest/route.ts';
import { addressKey, addressOfKey } from '../../transaction/address-key.ts';
import { applicationJson, localStateJson } from '../account-json.ts';
import type { ChainIndex } from '../chain-index.ts';
import { idPageAnswer, pageParameters } from '../page.ts';
import { queryAddress } from '../parameters.ts';

/** Taken, because libraries always send it; but what is deleted is forgotten. */
const includeAll = queryBoolean('Changes nothing: what is deleted is forgotten.');
const list = {
  ...pageParameters,
  'include-all': includeAll,
  'application-id': queryUint64('Only this one.'),
};
const search = { ...list, creator: queryAddress('The creator’s address.') };
const ofAccount = { 'account-id': pathAddress(), ...list };

/** Applications and the accounts in them, in the present state. */
export function applicationRoutes(index: ChainIndex, queries: Queries): Route[] {
  const { chain } = index;
  return [
    route({
      path: '/v2/applications',
      summary: 'Applications, by their ids.',
      parameters: search,
      async handle(asked) {
        await index.follow();
        const creator = asked.creator && addressKey(asked.creator);
        const all = ascending(chain.state.tables.applications.entries());
        const those = all.filter(([, each]) => creator === undefined || each.creator === creator);
        return idPageAnswer(those, onlyAsked(asked), {
          name: 'applications',
          round: queries.latestRound,
          json: (id, each) => applicationJson(id, { ...each, creator: addressOfKey(each.creator) }, index),
        });
      },
    }),
    route({
      path: '/v2/applications/:application-id',
      summary: 'An application.',
      parameters: { 'application-id': pathUint64('An application id.'), 'include-all': includeAll },
      async handle({ 'application-id': id }) {
        await index.follow();
        refuseLarge(id);
        const application = queries.application(id);
        if (application === undefined) throw notFound(`no application found for application-id: ${id}`);
        return jsonAnswer({
          application: applicationJson(id, application, index),
          'current-round': queries.latestRound,
        });
      },
    }),
    ...accountRoutes(index, queries),
  ];
}

function accountRoutes(index: ChainIndex, queries: Queries): Route[] {
  return [
    route({
      path: '/v2/accounts/:account-id/created-applications',
      summary: 'Applications that an account created, by id.',
      parameters: ofAccount,
      async handle(asked) {
        await index.follow();
        const creator = asked['account-id'];
        const { applications } = queries.account(creator);
        return idPageAnswer(applications, onlyAsked(asked), {
          name: 'applications',
          round: queries.latestRound,
          json: (id, params) => applicationJson(id, { creator, params }, index),
        });
      },
    }),
    route({
      path: '/v2/accounts/:account-id/apps-local-state',
      summary: 'The states of an account in applications, by their ids.',
      parameters: ofAccount,
      async handle(asked) {
        await index.follow();
        const address = asked['account-id'];
        const { localStates } = queries.account(address);
        return idPageAnswer(localStates, onlyAsked(asked), {
          name: 'apps-local-states',
          round: queries.latestRound,
          json: (id, local) => localStateJson(address, [id, local], index),
        });
      },
    }),
  ];
}

function onlyAsked(asked: Bound<typeof list>) {
  return { ...asked, only: asked['application-id'] };
}

/** Refuses an id that no indexer's database can hold. */
function refuseLarge(id: bigint): void {
  if (id <= MAX_INT64) return;
  const what = 'searching by round or application-id or asset-id or filter by value';
  throw notFound(`${what} greater than ${MAX_INT64} is not supported`);
}
