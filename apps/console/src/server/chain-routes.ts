import { developmentAccounts } from '@avm402/devnode';
import { Router } from 'express';
import type { NodeAccess } from './node-access.ts';
import { traceOf } from './program-trace.ts';

/**
 * `GET /node/…`: what algod answers under `/v2/…`; `/names`: names of development accounts by address; `/traces/{txid}`:
 * what programs did in the group of a transaction.
 */
export function chainRoutes(node: NodeAccess): Router {
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
    response.json(await traceOf(node, params.transactionId));
  });
  return router;
}
