import type { Node } from '../../node.ts';
import { jsonAnswer } from '../answer.ts';
import { route, type Route } from '../route.ts';

/** Money in circulation. */
export function supplyRoutes(node: Node): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v2/ledger/supply',
      summary: 'µAlgo in circulation and online.',
      handle() {
        const { round, onlineMoney, onlineStake, totalMoney } = node.supply();
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
