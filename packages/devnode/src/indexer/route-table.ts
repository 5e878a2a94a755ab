import type { DevelopmentNode } from '../development-node.ts';
import type { Route } from '../rest/route.ts';
import { accountRoutes } from './routes/accounts.ts';
import { applicationPartRoutes } from './routes/application-parts.ts';
import { applicationRoutes } from './routes/applications.ts';
import { assetRoutes } from './routes/assets.ts';
import { blockRoutes } from './routes/blocks.ts';
import { healthRoutes } from './routes/health.ts';
import { transactionRoutes } from './routes/transactions.ts';

/** Every route of the indexer. */
export function indexerRoutes(node: DevelopmentNode): readonly Route[] {
  const { queries } = node;
  const index = node.openIndex();
  return [
    ...healthRoutes(queries),
    ...transactionRoutes(index),
    ...accountRoutes(index, queries),
    ...assetRoutes(index),
    ...blockRoutes(index.chain),
    ...applicationRoutes(index, queries),
    ...applicationPartRoutes(index, queries),
  ];
}
