import type { DevelopmentNode } from '../../development-node.ts';
import type { Route } from '../../rest/route.ts';
import type { DevControls } from '../dev-controls.ts';
import { accountControlRoutes } from './account-routes.ts';
import { blockControlRoutes } from './block-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { faultControlRoutes } from './fault-routes.ts';
import { fileControlRoutes } from './file-routes.ts';
import { stateControlRoutes } from './state-routes.ts';

/** The developer controls over HTTP. */
export function devRoutes(controls: DevControls, node: DevelopmentNode): Route[] {
  return [
    ...stateControlRoutes(controls),
    ...blockControlRoutes(controls),
    ...accountControlRoutes(controls),
    ...eventRoutes(node),
    ...faultControlRoutes(controls),
    ...fileControlRoutes(controls),
  ];
}
