import type { Queries } from '../../queries/queries.ts';
import { jsonAnswer } from '../answer.ts';
import { route, type Route } from '../route.ts';

/** Money in circulation. */
export function supplyRoutes(queries: Queries): Route[] {
  return [
    route({
      path: '/v2/ledger/supply',
      summary: 'µAlgo in circulation and online.',
      handle() {
        const { round, onlineMoney, onlineStake, totalMoney } = queries.supply();
        return jsonAnswer({
          current_round: round,
          'online-money': onlineMoney,
          'online-stake': onlineStake,
          'total-money': totalMoney,
        });
      },
    }),
  ];
}
