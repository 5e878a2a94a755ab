import { developmentAccounts, traceGroup, type GroupTrace } from '@avm402/devnode';
import { Router } from 'express';
import type { Roles } from '../roles.ts';
import { chainGroup } from './chain-group.ts';
import type { NodeAccess } from './node-access.ts';

/**
 * `GET /node/…`: algod's answer under `/v2/…`; `/names`: names of development accounts by address; `/traces/{txid}`:
 * the steps of the programs in a transaction's group, at the state before its block.
 */
export function chainRoutes(node: NodeAccess, algod: Roles['algod']): Router {
  const router = Router();
  router.get('/node/*path', async (request, response) => {
    const { status, text } = await node.ask(request.url.slice('/node/'.length));
    response.status(status).type('json').send(text);
  });
  router.get('/names', (_request, response) => {
    const names = Object.entries(developmentAccounts()).map(([name, { address }]) => [address, name]);
    response.json(Object.fromEntries(names));
  });
  router.get('/traces/:transactionId', async ({ params }, response) => {
    const group = await chainGroup(node, params.transactionId);
    const nothing: GroupTrace = { programs: [] };
    response.json(group === undefined ? nothing : await traceGroup(algod, { ...group, round: group.round - 1n }));
  });
  return router;
}
