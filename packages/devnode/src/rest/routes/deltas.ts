import type { AlgodConfig } from '../algod-config.ts';
import { DevnodeError, notFound } from '../../errors.ts';
import type { Queries } from '../../queries/queries.ts';
import { pathText, pathUint64 } from '../parameter.ts';
import { route, type Route } from '../route.ts';
import { documentAnswer, formatParameter, parseFormat } from './format.ts';
import { parseTransactionId } from '../../transaction/transaction-id.ts';

/** The changes that rounds and groups made. */
export function deltaRoutes(queries: Queries, config: AlgodConfig): Route[] {
  const failed = (reason: string): never => {
    if (!config.EnableTxnEvalTracer) {
      throw new DevnodeError('unsupported', 'failed retrieving the expected tracer from ledger', { status: 501 });
    }
    // Differs from algod: no-group-deltas
    throw notFound(`failed retrieving State Delta: ${reason}`);
  };
  return [
    route({
      path: '/v2/deltas/:round',
      summary: 'What a round changed in the ledger.',
      parameters: { round: pathUint64('A round.'), format: formatParameter },
      handle(parameters) {
        const format = parseFormat(parameters.format);
        return documentAnswer(queries.stateDelta(parameters.round), format);
      },
    }),
    route({
      path: '/v2/deltas/:round/txn/group',
      summary: 'What each group of a round changed: this node keeps no such traces.',
      parameters: { round: pathUint64('A round.'), format: formatParameter },
      handle(parameters) {
        parseFormat(parameters.format);
        return failed(`round ${parameters.round} not found in txnGroupDeltaTracer`);
      },
    }),
    route({
      path: '/v2/deltas/txn/group/:id',
      summary: 'What one group changed: this node keeps no such traces.',
      parameters: { id: pathText('Id of a group, or of a transaction without one.'), format: formatParameter },
      handle(parameters) {
        parseFormat(parameters.format);
        parseTransactionId(parameters.id);
        return failed(`unable to find delta for id: ${parameters.id}`);
      },
    }),
  ];
}
