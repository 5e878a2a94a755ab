import type { AlgodConfig } from '../algod-config.ts';
import type { Submissions, SubmitOptions } from '../../submission/submissions.ts';
import { emptyAnswer, jsonAnswer } from '../answer.ts';
import { queryBoolean } from '../parameter.ts';
import { route, type RestRequest, type Route } from '../route.ts';
import { developerApiIsOff } from './developer-api.ts';

const parameters = {
  'skip-pq-address-check': queryBoolean(
    'Submit although a post-quantum authorizer or a v13 program hashes to a point of the Edwards curve. Default false.',
  ),
};

/** Synchronous submission: the answer comes when the group is in a block (instant blocks) or in the pool. */
export function submissionRoutes(submissions: Submissions): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v2/transactions',
      summary: 'Submits a group: concatenated msgpack of its signed transactions.',
      body: 'application/x-binary',
      parameters,
      async handle({ 'skip-pq-address-check': skip }, request) {
        const { txId } = await submissions.submit(...(await groupOf(request, skip)));
        return jsonAnswer({ txId });
      },
    }),
  ];
}

/**
 * Asynchronous submission. A group is put on the backlog and evaluated later; if it is invalid, it is dropped silently. A group that
 * this node can't judge is refused at once. Without `EnableDeveloperAPI`, the route answers 404.
 */
export function asyncSubmissionRoutes(submissions: Submissions, config: AlgodConfig): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v2/transactions/async',
      summary: 'Queues a group. The empty answer says nothing about its validity.',
      body: 'application/x-binary',
      parameters,
      async handle({ 'skip-pq-address-check': skip }, request) {
        if (!config.EnableDeveloperAPI) return developerApiIsOff('/transactions/async');
        submissions.submitAsync(...(await groupOf(request, skip)));
        return emptyAnswer();
      },
    }),
  ];
}

async function groupOf(request: RestRequest, skipPqAddressCheck = false): Promise<[Uint8Array, SubmitOptions]> {
  const { bytes, cut } = await request.body();
  return [bytes, { skipPqAddressCheck, bodyCut: cut }];
}
