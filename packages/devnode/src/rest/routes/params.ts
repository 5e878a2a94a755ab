import { encodeBase64 } from '@avm402/algorand/base64';
import type { Queries } from '../../queries/queries.ts';
import { jsonAnswer } from '../answer.ts';
import { route, type Route } from '../route.ts';

/** Suggested parameters of a new transaction. */
export function paramsRoutes(queries: Queries): Route[] {
  return [
    route({
      path: '/v2/transactions/params',
      summary: 'Parameters for building a transaction.',
      handle() {
        const { minFee, feePerByte } = queries.suggestedFees();
        return jsonAnswer({
          'consensus-version': queries.consensusVersion,
          fee: feePerByte,
          'genesis-hash': encodeBase64(queries.genesisHash),
          'genesis-id': queries.genesisId,
          'last-round': queries.latestRound,
          'min-fee': minFee,
        });
      },
    }),
  ];
}
