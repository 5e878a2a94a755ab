import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAlgodClient } from '@avm402/algorand/algod';
import { developmentAccounts } from '@avm402/devnode';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { startFaultProxy } from '@avm402/testkit/fault-proxy';
import { readDebits } from '../debits.ts';
import { offerOf, paidHeaders, payFor, receiptOf, txIdOf, withNewId } from '../payment.ts';
import { openPrograms, type Programs } from './programs.ts';

let programs: Programs;
beforeEach(async () => {
  programs = await openPrograms();
});
afterEach(() => programs.stop());

it('a shop is killed while it settles: the other one on its store gives the buyer what the first one has made', async () => {
  const node = await programs.node('--manual');
  const facilitator = await programs.facilitator(node, {
    SETTLEMENT_STORE: join(programs.folder, 'settlements.sqlite'),
  });
  const options = { facilitators: [facilitator], store: join(programs.folder, 'redemptions.sqlite') };
  const [dying, living] = [await programs.shop(options), await programs.shop(options)];
  // Both shops are one site to their callers.
  let current = dying;
  const site = programs.keep(await startFaultProxy({ targets: () => [current.url], fault: () => undefined }));
  const goods = `${site.url}/goods/1`;
  const payment = await payFor(offerOf(await fetch(goods)), developmentAccounts().payer, node.url);
  const headers = paidHeaders(withNewId(payment));
  const txId = txIdOf(payment);
  const stateOf = async (): Promise<unknown> =>
    Object(await (await fetch(`${facilitator.url}/settlements/${txId}`)).json())['state'];

  const lost = expect(fetch(goods, { headers })).rejects.toThrow(TypeError);
  await expect.poll(stateOf, { timeout: 30_000, interval: 50 }).toBe('submitted');
  await dying.kill();
  await lost;
  current = living;
  await fetch(`${node.url}/dev/mine`, { method: 'POST', headers: { 'X-Algo-API-Token': NODE_TOKEN } });

  // Until the dead claim's lease has run out the answer is 503.
  let answer = await fetch(goods, { headers });
  const statuses = new Set<number>();
  while (answer.status === 503) {
    statuses.add(answer.status);
    await sleep(100);
    answer = await fetch(goods, { headers });
  }
  expect([...statuses, answer.status]).toEqual([503, 200]);
  expect(receiptOf(answer)).toMatchObject({ success: true, transaction: txId });
  expect([await answer.json()]).toEqual(await programs.runs());
  const debits = await readDebits(createAlgodClient({ url: node.url, token: NODE_TOKEN }));
  expect(debits.map((debit) => debit.txId)).toEqual([txId]);
});
