import { addressKey, addressOfKey } from '../../transaction/address-key.ts';
import { ascending } from '../../codec/ascending.ts';
import { notFound } from '../../errors.ts';
import type { CreatedAsset } from '../../ledger/state/tables.ts';
import { jsonAnswer } from '../../rest/answer.ts';
import { pathUint64, queryText, queryUint64, type Bound } from '../../rest/parameter.ts';
import { route, type Route } from '../../rest/route.ts';
import { assetJson, balanceJson } from '../account-json.ts';
import type { ChainIndex } from '../chain-index.ts';
import { accountPage, idPageAnswer, LONG_PAGE, pageParameters } from '../page.ts';
import { includeAll, isWithin, queryAddress } from '../parameters.ts';
import { holdersOf } from '../state-lists.ts';

const searchParameters = {
  ...pageParameters,
  'asset-id': queryUint64('Only this one.'),
  creator: queryAddress('The creator’s address.'),
  name: queryText('A part of its name, in any letter case.'),
  unit: queryText('A part of its unit’s name, in any letter case.'),
  'include-all': includeAll,
};

const balanceParameters = {
  'asset-id': pathUint64('An asset id.'),
  ...pageParameters,
  'currency-greater-than': queryUint64('Accounts that hold more units.'),
  'currency-less-than': queryUint64('Accounts that hold fewer units.'),
  'include-all': includeAll,
};

/** Assets and their holders, in the present state. */
export function assetRoutes(index: ChainIndex): Route[] {
  const { chain } = index;
  const json = (id: bigint, { creator, params }: CreatedAsset) =>
    assetJson(id, { creator: addressOfKey(creator), params }, index);
  return [
    route({
      path: '/v2/assets',
      summary: 'Assets, by their ids.',
      parameters: searchParameters,
      async handle(asked) {
        await index.follow();
        const those = ascending(chain.state.tables.assets.entries()).filter(([, asset]) => isAskedFor(asset, asked));
        const form = { name: 'assets', round: chain.latest.round, json };
        return idPageAnswer(those, { ...asked, only: asked['asset-id'] }, form);
      },
    }),
    route({
      path: '/v2/assets/:asset-id',
      summary: 'An asset.',
      parameters: { 'asset-id': pathUint64('An asset id.'), 'include-all': includeAll },
      async handle({ 'asset-id': id }) {
        await index.follow();
        const asset = chain.state.asset(id);
        if (asset) return jsonAnswer({ asset: json(id, asset), 'current-round': chain.latest.round });
        throw notFound(`no assets found for asset-id: ${id}`);
      },
    }),
    route({
      path: '/v2/assets/:asset-id/balances',
      summary: 'Holders of an asset, by the bytes of their addresses.',
      parameters: balanceParameters,
      handle(asked) {
        const holders = holdersOf(chain, asked['asset-id']);
        const those = holders.filter(({ holding }) => isWithin(holding.amount, asked));
        const { entries, token } = accountPage(those, asked, LONG_PAGE);
        const balances = entries.map(({ owner, holding }) => balanceJson(addressOfKey(owner), holding));
        return jsonAnswer({ balances, 'current-round': chain.latest.round, 'next-token': token });
      },
    }),
  ];
}

function isAskedFor({ creator, params }: CreatedAsset, asked: Bound<typeof searchParameters>): boolean {
  if (asked.creator !== undefined && creator !== addressKey(asked.creator)) return false;
  return contains(params.name, asked.name) && contains(params.unitName, asked.unit);
}

function contains(text: Uint8Array, part: string | undefined): boolean {
  return part === undefined || Buffer.from(text).toString('utf8').toLowerCase().includes(part.toLowerCase());
}
