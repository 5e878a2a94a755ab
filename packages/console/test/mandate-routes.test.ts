import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it } from 'vitest';
import { openedMandate, payerBy, settling } from '../../client/test/mandate/mandate-stage.ts';
import { useStage } from '../../client/test/stage.ts';
import { mandateRoutes } from '../src/server/mandate-routes.ts';
import { NodeAccess } from '../src/server/node-access.ts';

const stage = useStage();

it('the page is given a mandate’s rules, slots and payments, and nothing of other accounts', async () => {
  const { chain } = stage;
  const mandate = await openedMandate(chain);
  const seller = await stage.sellerThat(settling(chain));
  await payerBy(mandate, chain).fetch(seller.url);
  const server = express()
    .use('/api', mandateRoutes(new NodeAccess(chain.access, fetch)))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ask = async (address: string): Promise<unknown> => {
    const { port } = server.address() as AddressInfo;
    return (await fetch(`http://127.0.0.1:${port}/api/mandates/${address}`)).json();
  };
  expect(await ask(mandate.address)).toMatchObject({
    config: mandate.config,
    paysAnybody: true,
    status: { state: 'open', cap: '50000', slots: '2', freeSlots: '1', held: '990000', payable: '50000' },
    payments: [{ amount: '10000', until: '500' }],
  });
  expect(await ask(mandate.config.owner)).toBeNull();
  expect(await ask('nothing')).toBeNull();
  server.close();
});
