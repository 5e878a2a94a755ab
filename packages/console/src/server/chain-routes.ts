import { accountOfApplication, developmentAccounts, traceGroup, type GroupTrace } from '@avm402/devnode';
import { Router } from 'express';
import { chainGroup } from './chain-group.ts';
import type { NodeAccess } from './node-access.ts';
import { NODE_ANSWERS } from '../node-answers.ts';
import { unsentGroup } from './unsent-group.ts';

const NOTHING: GroupTrace = { programs: [], applications: [] };

/**
 * The steps at the state before the group's block. Programs that sign are run as they signed; a node runs those of
 * applications only in a group that it does not know.
 */
async function traceOf(node: NodeAccess, transactionId: string): Promise<GroupTrace> {
  const { transactions, round } = await chainGroup(node, transactionId);
  if (round === undefined) return NOTHING;
  const before = round - 1n;
  const [signing, calling] = await Promise.all([
    traceGroup(node.options, { transactions, round: before }),
    // A node takes round 0 for the latest one.
    before === 0n ? NOTHING : traceGroup(node.options, { transactions: unsentGroup(transactions), round: before }),
  ]);
  return { programs: signing.programs, applications: calling.applications };
}

/**
 * `GET /node/…`: algod's answers under `/v2/…` that the page shows; `/names`: names of development accounts by address;
 * `/applications/{id}/account`: the account that an application pays from; `/traces/{txid}`: the steps of the programs in
 * a transaction's group, at the state before its block.
 */
export function chainRoutes(node: NodeAccess): Router {
  const router = Router();
  router.use(node.routes(NODE_ANSWERS));
  router.get('/names', (_request, response) => {
    const names = Object.entries(developmentAccounts()).map(([name, { address }]) => [address, name]);
    response.json(Object.fromEntries(names));
  });
  router.get('/applications/:id/account', ({ params: { id } }, response) => {
    if (/^\d{1,19}$/.test(id)) response.json({ address: accountOfApplication(BigInt(id)) });
    else response.status(404).json({ code: 'not_found', message: 'an application has a number' });
  });
  router.get('/traces/:transactionId', async ({ params }, response) => {
    response.json(await traceOf(node, params.transactionId));
  });
  return router;
}
