import { encodeBase64 } from '@avm402/algorand/base64';
import type { Node } from '../../node.ts';
import { jsonAnswer } from '../answer.ts';

import { route, type Route } from '../route.ts';

/** Suggested parameters of a new transaction. */
export function paramsRoutes(node: Node): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v2/transactions/params',
      summary: 'Parameters for building a transaction.',
      handle() {
        const { lastRound, version } = node.status();
        const { minFee, feePerByte } = node.suggestedFees();
        return jsonAnswer({
          'consensus-version': version,
          fee: feePerByte,
          'genesis-hash': encodeBase64(node.genesisHash),
          'genesis-id': node.genesisId,
          'last-round': lastRound,
          'min-fee': minFee,
        });
      },
    }),
  ];
}
