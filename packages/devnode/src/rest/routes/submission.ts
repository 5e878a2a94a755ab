import type { Submissions } from '../../submission/submissions.ts';
import { jsonAnswer } from '../answer.ts';
import { queryBoolean } from '../parameter.ts';
import { route, type Route } from '../route.ts';

/** The query parameter of both submission routes. */
export const skipPqAddressCheck = queryBoolean(
  'Submit although a post-quantum authorizer or a v13 program hashes to a point of the Edwards curve. Default false.',
);

/** Synchronous submission: the answer comes when the group is in a block (instant blocks) or in the pool. */
export function submissionRoutes(submissions: Submissions): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v2/transactions',
      summary: 'Submits a group: concatenated msgpack of its signed transactions.',
      body: 'application/x-binary',
      parameters: { 'skip-pq-address-check': skipPqAddressCheck },
      async handle(parameters, request) {
        const { bytes, cut } = await request.body();
        const { txId } = await submissions.submit(bytes, {
          skipPqAddressCheck: parameters['skip-pq-address-check'] ?? false,
          bodyCut: cut,
        });
        return jsonAnswer({ txId });
      },
    }),
  ];
}
