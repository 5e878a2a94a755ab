import type { Queries } from '../../queries/queries.ts';
import type { Answer } from '../answer.ts';
import { route, type Route } from '../route.ts';
import { documentAnswer, formatParameter, parseFormat } from './format.ts';

/** Judges a group without submitting it. */
export function simulateRoutes(queries: Queries): Route[] {
  return [
    route({
      method: 'POST',
      path: '/v2/transactions/simulate',
      summary: 'Evaluates a group on the latest or an older state, and answers what would happen.',
      body: 'application/msgpack',
      parameters: { format: formatParameter },
      async handle({ format }, request): Promise<Answer> {
        const { bytes } = await request.body();
        const result = await queries.simulate(bytes);
        // algod checks the format last.
        return documentAnswer(result, parseFormat(format));
      },
    }),
  ];
}
