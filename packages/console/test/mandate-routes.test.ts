import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it } from 'vitest';
import { openedMandate, payerBy, settling } from '../../client/test/mandate/mandate-stage.ts';
import { useStage } from '../../client/test/stage.ts';
import { LedgerHistory } from '../src/payments/ledger-history.ts';
import { mandateRoutes } from '../src/server/mandate-routes.ts';
import { NodeAccess } from '../src/server/node-access.ts';
import { watchChain } from '../src/server/watch-chain.ts';

const stage = useStage();

/** The routes of a console, and the watch that tells them of jumps. */
async function consoleOn(node: NodeAccess) {
  const server = express().use('/api', mandateRoutes(node)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ask: async (address: string): Promise<unknown> =>
      (await fetch(`http://127.0.0.1:${port}/api/mandates/${address}`)).json(),
    close: () => server.close(),
  };
}

it('the page is given a mandate’s rules, slots and payments, and nothing of other accounts', async () => {
  const { chain } = stage;
  const mandate = await openedMandate(chain);
  const seller = await stage.sellerThat(settling(chain));
  await payerBy(mandate, chain).fetch(seller.url);
  const { ask, close } = await consoleOn(new NodeAccess(chain.access, fetch));
  expect(await ask(mandate.address)).toMatchObject({
    config: mandate.config,
    paysAnybody: true,
    status: { state: 'open', cap: '50000', slots: '2', freeSlots: '1', held: '990000', payable: '50000' },
    payments: [{ amount: '10000', until: '500' }],
  });
  expect(await ask(mandate.config.owner)).toBeNull();
  expect(await ask('nothing')).toBeNull();
  close();
});

it('the payments of a chain that a jump has replaced take no slots, although as many rounds have passed', async () => {
  const { chain } = stage;
  const mandate = await openedMandate(chain);
  const node = new NodeAccess(chain.access, fetch);
  const jumped = Promise.withResolvers<void>();
  const heard = Promise.withResolvers<void>();
  const tell = (event: string): void => (event === 'jump' ? jumped : heard).resolve();
  const stop = watchChain(node, { hub: { tell }, history: new LedgerHistory(node.controls, Date.now) });
  await heard.promise;
  const { ask, close } = await consoleOn(node);
  const before = await node.controls.snapshot();
  const seller = await stage.sellerThat(settling(chain));
  await payerBy(mandate, chain).fetch(seller.url);
  expect(await ask(mandate.address)).toMatchObject({ status: { freeSlots: '1' }, payments: [{}] });
  await node.controls.revert(before);
  await chain.mine(10);
  await jumped.promise;
  expect(await ask(mandate.address)).toMatchObject({ status: { freeSlots: '2' }, payments: [] });
  stop();
  close();
});
