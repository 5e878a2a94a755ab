import { DevnodeError } from '../../errors.ts';
import { emptyAnswer, jsonAnswer } from '../../rest/answer.ts';
import { pathUint64, queryText, queryUint64, required } from '../../rest/parameter.ts';
import type { Route } from '../../rest/route.ts';
import type { DevControls } from '../dev-controls.ts';
import type { Fault } from '../faults.ts';
import { devRoute } from './dev-route.ts';

/** What goes wrong with requests, on purpose. */
export function faultControlRoutes(controls: DevControls): Route[] {
  return [
    devRoute({
      method: 'POST',
      path: '/dev/faults',
      summary: 'Makes requests of a route go wrong: late, refused with a status, or with the connection cut.',
      parameters: {
        route: required(queryText('Method and path as in the table of routes, e.g. `GET /v2/blocks/{round}`.')),
        'delay-ms': queryUint64('Time before anything is done.'),
        status: queryUint64('400 to 599: answered in place of any work.'),
        lose: queryText('`request`: the connection is cut before any work; `answer`: after it.'),
        times: queryUint64('How many requests it strikes; default all.'),
      },
      async handle({ route, 'delay-ms': delayMs, status, lose, times }) {
        const id = await controls.addFault({
          route,
          ...(delayMs !== undefined && { delayMs: Number(delayMs) }),
          ...(status !== undefined && { status: Number(status) }),
          ...(lose !== undefined && { lose: parseLoss(lose) }),
          ...(times !== undefined && { times: Number(times) }),
        });
        return jsonAnswer({ id });
      },
    }),
    devRoute({
      method: 'DELETE',
      path: '/dev/faults/:id',
      summary: 'Takes a fault away.',
      parameters: { id: pathUint64('The fault’s id.') },
      async handle({ id }) {
        await controls.removeFault(Number(id));
        return emptyAnswer();
      },
    }),
  ];
}

function parseLoss(text: string): NonNullable<Fault['lose']> {
  if (text === 'request' || text === 'answer') return text;
  throw new DevnodeError('refused', `what is lost is a request or an answer, not ${text}`);
}
