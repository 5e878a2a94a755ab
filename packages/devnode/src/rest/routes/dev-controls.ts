import { formatAddress } from '@avm402/algorand/address';
import { DevnodeError } from '../../errors.ts';
import type { DevelopmentNode } from '../../development-node.ts';
import { jsonAnswer } from '../answer.ts';
import { pathAddress, queryUint64, required } from '../parameter.ts';
import { route, type Route } from '../route.ts';

/** Rounds that one request may make. */
const MAX_MINED_ROUNDS = 10_000n;

/** Controls that no real node has, for this machine only. */
export function devControlRoutes(node: DevelopmentNode): Route[] {
  return [
    route({
      method: 'POST',
      path: '/dev/mine',
      access: 'loopback',
      summary: 'Makes blocks of what is in the pool, the later ones empty.',
      parameters: { rounds: queryUint64(`How many, 1 (default) to ${MAX_MINED_ROUNDS}.`) },
      async handle({ rounds = 1n }) {
        if (rounds < 1n || rounds > MAX_MINED_ROUNDS) {
          throw new DevnodeError('refused', `rounds must be 1 to ${MAX_MINED_ROUNDS}, not ${rounds}`);
        }
        await node.controls.mine(Number(rounds));
        return jsonAnswer({ 'last-round': node.queries.latestRound });
      },
    }),
    route({
      method: 'POST',
      path: '/dev/fund/:address',
      access: 'loopback',
      summary: 'Gives an account µAlgo out of nothing.',
      parameters: { address: pathAddress(), amount: required(queryUint64('µAlgo.')) },
      async handle({ address, amount }) {
        await node.controls.fund(address, amount);
        const { account, round } = node.queries.account(address);
        return jsonAnswer({ address: formatAddress(address), amount: account.microAlgos, round });
      },
    }),
    route({
      method: 'POST',
      path: '/dev/deal/:address',
      access: 'loopback',
      summary: 'Gives an account units of any asset, opting it in if need be.',
      parameters: {
        address: pathAddress(),
        'asset-id': required(queryUint64('An asset id.')),
        amount: required(queryUint64('Units.')),
      },
      async handle({ address, 'asset-id': assetId, amount }) {
        await node.controls.deal(address, assetId, amount);
        const { holdings, round } = node.queries.account(address);
        const held = holdings.find(([id]) => id === assetId)?.[1];
        return jsonAnswer({ address: formatAddress(address), 'asset-id': assetId, amount: held?.amount ?? 0n, round });
      },
    }),
  ];
}
