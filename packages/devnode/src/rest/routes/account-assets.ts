import { notFound } from '../../errors.ts';
import { encode } from '../../codec/document.ts';
import { accountAsset, type AssetHolding } from '../../codec/schema/account.ts';
import type { Queries } from '../../queries/queries.ts';
import { jsonAnswer, msgpackAnswer, type Answer } from '../answer.ts';
import { pathAddress, pathUint64, queryText, queryUint64 } from '../parameter.ts';
import type { Json } from '../plain-json.ts';
import { route, type Route } from '../route.ts';
import { assetParamsJson, holdingJson } from './asset-json.ts';
import { formatParameter, parseFormat } from './format.ts';
import { parsePage, type Page } from './page.ts';
import { refuseUnstorable } from './stored-id.ts';

const MAX_PAGE = 1000;

/** An account's holdings, in pages or one by one. */
export function accountAssetRoutes(queries: Queries): Route[] {
  return [
    route({
      path: '/v2/accounts/:address/assets',
      summary: 'An account’s holdings with their parameters, in pages.',
      parameters: {
        address: pathAddress(),
        limit: queryUint64('Holdings a page, 1 to 1000 (default).'),
        next: queryText('An asset id: the page holds larger ones.'),
      },
      handle({ address, limit, next }) {
        return holdingsAnswer(queries, address, parsePage({ limit, next, maxLimit: MAX_PAGE, things: 'assets' }));
      },
    }),
    route({
      path: '/v2/accounts/:address/assets/:asset-id',
      summary: 'One holding of an account, and the asset’s parameters if the account created it.',
      parameters: { address: pathAddress(), 'asset-id': pathUint64('An asset id.'), format: formatParameter },
      handle(parameters) {
        const { address, 'asset-id': assetId } = parameters;
        const format = parseFormat(parameters.format);
        refuseUnstorable(assetId);
        const part = queries.accountAsset(address, assetId);
        if (part === undefined) throw notFound('account asset info not found');
        if (format === 'msgpack') return msgpackAnswer(encode(accountAsset, part));
        return jsonAnswer({
          'asset-holding': part.holding && holdingJson(assetId, part.holding),
          'created-asset': part.params && assetParamsJson(address, part.params),
          round: queries.latestRound,
        });
      },
    }),
  ];
}

function holdingsAnswer(queries: Queries, address: Uint8Array, { limit, after }: Page): Answer {
  const { holdings, round } = queries.account(address);
  const rest = holdings.filter(([id]) => id > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return jsonAnswer({
    'asset-holdings': page.map(([id, holding]) => heldAssetJson(queries, id, holding)),
    'next-token': last && rest.length > page.length ? String(last[0]) : undefined,
    round,
  });
}

function heldAssetJson(queries: Queries, assetId: bigint, holding: AssetHolding): Json {
  const asset = queries.asset(assetId);
  return {
    'asset-holding': holdingJson(assetId, holding),
    'asset-params': asset && assetParamsJson(asset.creator, asset.params),
  };
}
