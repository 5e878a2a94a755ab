import { notFound } from '../../errors.ts';
import type { Queries } from '../../queries/queries.ts';
import { jsonAnswer } from '../answer.ts';
import { pathUint64 } from '../parameter.ts';
import { route, type Route } from '../route.ts';
import { refuseUnstorable } from './stored-id.ts';
import { assetParamsJson } from './asset-json.ts';

/** Assets by id. */
export function assetRoutes(queries: Queries): Route[] {
  return [
    route({
      path: '/v2/assets/:asset-id',
      summary: 'An asset’s parameters.',
      parameters: { 'asset-id': pathUint64('An asset id.') },
      handle(parameters) {
        const index = parameters['asset-id'];
        refuseUnstorable(index);
        const asset = queries.asset(index);
        if (!asset) throw notFound('asset does not exist');
        return jsonAnswer({ index, params: assetParamsJson(asset.creator, asset.params) });
      },
    }),
  ];
}
