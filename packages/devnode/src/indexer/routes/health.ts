import type { Queries } from '../../queries/queries.ts';
import { jsonAnswer } from '../../rest/answer.ts';
import { route, type Route } from '../../rest/route.ts';
import { packageVersion } from '../../version.ts';

/** Answers that the indexer works, and at which round. It is never behind the node. */
export function healthRoutes(queries: Queries): Route[] {
  return [
    route({
      path: '/health',
      access: 'open',
      summary: 'The indexer’s health and its latest round.',
      handle() {
        const round = queries.latestRound;
        return jsonAnswer({
          'db-available': true,
          'is-migrating': false,
          message: String(round),
          round,
          version: packageVersion(),
        });
      },
    }),
  ];
}
