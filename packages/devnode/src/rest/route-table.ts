import type { DevelopmentNode } from '../development-node.ts';
import type { AlgodConfig } from './algod-config.ts';
import type { RequestMetrics } from './request-metrics.ts';
import type { Route } from './route.ts';
import { accountAssetRoutes } from './routes/account-assets.ts';
import { accountRoutes } from './routes/accounts.ts';
import { adminRoutes } from './routes/admin.ts';
import { applicationRoutes } from './routes/applications.ts';
import { boxRoutes } from './routes/boxes.ts';
import { assetRoutes } from './routes/assets.ts';
import { blockRoutes } from './routes/blocks.ts';
import { commonRoutes, experimentalRoutes } from './routes/unversioned.ts';
import { deltaRoutes } from './routes/deltas.ts';
import { devmodeRoutes } from './routes/devmode.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { paramsRoutes } from './routes/params.ts';
import { participationRoutes } from './routes/participation.ts';
import { pendingRoutes } from './routes/pending.ts';
import { retiredRoutes } from './routes/retired.ts';
import { simulateRoutes } from './routes/simulate.ts';
import { statusRoutes } from './routes/status.ts';
import { asyncSubmissionRoutes, submissionRoutes } from './routes/submission.ts';
import { supplyRoutes } from './routes/supply.ts';
import { tealRoutes } from './routes/teal.ts';

export interface RouteTableOptions {
  readonly config: AlgodConfig;
  readonly metrics: RequestMetrics;
  /** The longest that `wait-for-block-after` waits, in ms. */
  readonly waitTimeoutMs: number;
}

/** Every route of algod that the node serves with this configuration. */
export function routeTable(
  node: DevelopmentNode,
  { config, metrics, waitTimeoutMs }: RouteTableOptions,
): readonly Route[] {
  const { queries } = node;

  return [
    ...commonRoutes(queries),
    ...metricsRoutes(node, metrics),
    ...statusRoutes(node, waitTimeoutMs),
    ...supplyRoutes(queries),
    ...paramsRoutes(queries),
    ...submissionRoutes(node.submissions),
    ...(config.EnableExperimentalAPI ? asyncSubmissionRoutes(node.submissions, config) : []),
    ...simulateRoutes(queries),
    ...pendingRoutes(queries),
    ...accountRoutes(queries, config),
    ...accountAssetRoutes(queries),
    ...applicationRoutes(queries),
    ...boxRoutes(queries, config),
    ...assetRoutes(queries),
    ...blockRoutes(queries),
    ...deltaRoutes(queries, config),
    ...devmodeRoutes(node.clock),
    ...(config.EnableExperimentalAPI ? experimentalRoutes() : []),
    ...tealRoutes(config),
    ...participationRoutes(),
    ...adminRoutes(config),
    ...retiredRoutes(),
  ];
}
