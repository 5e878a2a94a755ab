import type { DevelopmentNode } from '../development-node.ts';
import { BodyBudget } from '../rest/request-body.ts';
import { createRestHandler } from '../rest/rest-handler.ts';
import { COMPANION_LIMITS, startRestServer, type RestServer } from '../rest/rest-server.ts';
import { createRouter } from '../rest/router.ts';
import { refuseUnknown } from './parameters.ts';
import { indexerRoutes } from './route-table.ts';

export interface IndexerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly node: DevelopmentNode;
  readonly onInternalError: (error: unknown) => void;
}

/**
 * Serves the node's data as an indexer does. Like LocalNet's indexer, it requires no token.
 * @throws DevnodeError `port_taken`, `invalid_options`
 */
export function startIndexer({ host, port, node, onInternalError }: IndexerOptions): Promise<RestServer> {
  const handler = createRestHandler({
    router: createRouter(indexerRoutes(node)),
    authenticate: () => true,
    bodies: new BodyBudget(0),
    host,
    privateNetwork: false,
    tokenHeader: 'X-Indexer-API-Token',
    checkQuery: refuseUnknown,
    kept: () => node.kept(),
    onAnswer: () => {},
    onInternalError,
  });
  return startRestServer({ host, port, portFlag: '--indexer-port', handler, ...COMPANION_LIMITS });
}
