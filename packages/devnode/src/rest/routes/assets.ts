import { DevnodeError } from '../../errors.ts';
import type { Node } from '../../node.ts';
import { jsonAnswer } from '../answer.ts';
import { pathUint64 } from '../parameter.ts';
import { route, type Route } from '../route.ts';
import { assetParamsJson } from './asset-json.ts';

// algod's database holds ids as signed numbers; a larger one is a failure of the look-up, not an unknown asset.
const MAX_STORED_ID = 2n ** 63n - 1n;

/** Assets by id. */
export function assetRoutes(node: Node): Route[] {
  return [
    route({
      method: 'GET',
      path: '/v2/assets/:asset-id',
      summary: 'An asset’s parameters.',
      parameters: { 'asset-id': pathUint64('An asset id.') },
      handle(parameters) {
        const index = parameters['asset-id'];
        if (index > MAX_STORED_ID) {
          throw new DevnodeError('internal', 'failed to retrieve information from the ledger', { status: 500 });
        }
        const asset = node.asset(index);
        if (!asset) throw new DevnodeError('not_found', 'asset does not exist', { status: 404 });
        return jsonAnswer({ index, params: assetParamsJson(asset.creator, asset.params) });
      },
    }),
  ];
}
