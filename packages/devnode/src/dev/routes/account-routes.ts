import { emptyAnswer, jsonAnswer } from '../../rest/answer.ts';
import { queryBoolean, queryUint64, required } from '../../rest/parameter.ts';
import type { Route } from '../../rest/route.ts';
import type { DevControls } from '../dev-controls.ts';
import { account, devRoute } from './dev-route.ts';

const assetId = required(queryUint64('An asset id.'));

/** What accounts have, and who signs for them. */
export function accountControlRoutes(controls: DevControls): Route[] {
  return [
    devRoute({
      method: 'POST',
      path: '/dev/fund/:address',
      summary: 'Gives an account µAlgo out of nothing.',
      parameters: { address: account, amount: required(queryUint64('µAlgo.')) },
      handle: async ({ address, amount }) => jsonAnswer({ address, amount: await controls.fund(address, amount) }),
    }),
    devRoute({
      method: 'POST',
      path: '/dev/deal/:address',
      summary: 'Gives an account units of any asset, opting it in if need be.',
      parameters: { address: account, 'asset-id': assetId, amount: required(queryUint64('Units.')) },
      async handle({ address, 'asset-id': asset, amount }) {
        return jsonAnswer({ address, 'asset-id': asset, amount: await controls.deal(address, asset, amount) });
      },
    }),
    devRoute({
      method: 'POST',
      path: '/dev/freeze/:address',
      summary: 'Freezes what an account holds of an asset, or thaws it.',
      parameters: { address: account, 'asset-id': assetId, frozen: queryBoolean('False: thaws. Default true.') },
      async handle({ address, 'asset-id': asset, frozen = true }) {
        await controls.setFrozen(address, asset, frozen);
        return emptyAnswer();
      },
    }),
    devRoute({
      method: 'POST',
      path: '/dev/auth-address/:address/:by',
      summary: 'Sets the key that signs for an account; its own address makes it sign for itself.',
      parameters: { address: account, by: account },
      async handle({ address, by }) {
        await controls.setAuthAddress(address, by);
        return emptyAnswer();
      },
    }),
    devRoute({
      method: 'POST',
      path: '/dev/impersonate/:address',
      summary: 'Accepts what an account sends without its signature.',
      parameters: { address: account },
      async handle({ address }) {
        await controls.impersonate(address);
        return emptyAnswer();
      },
    }),
    devRoute({
      method: 'DELETE',
      path: '/dev/impersonate/:address',
      summary: 'Asks for an account’s signature again.',
      parameters: { address: account },
      async handle({ address }) {
        await controls.stopImpersonating(address);
        return emptyAnswer();
      },
    }),
  ];
}
