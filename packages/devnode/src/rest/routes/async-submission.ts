import type { Submissions } from '../../submission/submissions.ts';
import { emptyAnswer, textAnswer } from '../answer.ts';
import { route, type Route } from '../route.ts';
import { developerApiIsOff } from './developer-api.ts';
import { skipPqAddressCheck } from './submission.ts';

export interface AsyncSubmissionOptions {
  /** algod's `EnableExperimentalAPI`: without it, the routes do not exist. */
  readonly experimentalApi: boolean;
  /** algod's `EnableDeveloperAPI`: without it, the route answers 404. */
  readonly developerApi: boolean;
}

/**
 * Asynchronous submission. A group is put on the backlog and judged later; if it is invalid, it vanishes. A group that
 * this node can't judge is refused at once.
 */
export function asyncSubmissionRoutes(
  submissions: Submissions,
  { experimentalApi, developerApi }: AsyncSubmissionOptions,
): Route[] {
  if (!experimentalApi) return [];
  return [
    route({
      method: 'POST',
      path: '/v2/transactions/async',
      summary: 'Puts a group on the backlog. The empty answer says nothing about its validity.',
      body: 'application/x-binary',
      parameters: { 'skip-pq-address-check': skipPqAddressCheck },
      async handle(parameters, request) {
        if (!developerApi) return textAnswer(404, developerApiIsOff('/transactions/async'));
        const { bytes, cut } = await request.body();
        const skip = parameters['skip-pq-address-check'] ?? false;
        submissions.submitAsync(bytes, { skipPqAddressCheck: skip, bodyCut: cut });
        return emptyAnswer();
      },
    }),
  ];
}
