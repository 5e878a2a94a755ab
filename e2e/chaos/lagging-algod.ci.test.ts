import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createAlgodClient } from '@avm402/algorand/algod';
import { developmentAccounts, startDevnode } from '@avm402/devnode';
import { NODE_TOKEN, startFacilitator } from '@avm402/stack/programs';
import { readDebits } from '../debits.ts';
import { drawFault } from '@avm402/testkit/faults';
import { startLaggingNode } from './lagging-node.ts';
import { findViolations, type PaidOrder } from '../orders/oracle.ts';
import { planOrders } from '../orders/orders.ts';
import { payOrder } from '../orders/pay-order.ts';
import { ProgressDeadline } from '../orders/progress-deadline.ts';
import { finalRecords } from '../orders/records.ts';
import { openWallets } from '../orders/wallets.ts';
import { startFaultProxy } from '@avm402/testkit/fault-proxy';
import { seededRandom } from '@avm402/testkit/random';

const LAG = 20n;
const BLOCK_TIME_MS = 100;
/** Makes windows of 37 rounds. The payers know the lagging node: 17 of them are left, and both algods take them for valid. */
const MAX_TIMEOUT_SECONDS = 75;
const CYCLE_MS = 4_700;
const PAYMENTS = 60;

const running: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0).toReversed()) await stop();
});

function keep<Part extends { stop(): Promise<unknown> }>(part: Part): Part {
  running.push(() => part.stop());
  return part;
}

/**
 * The node, reached through a line that is down for longer than the other node lags: payments that were submitted just
 * before are confirmed while only the lagging node can be asked.
 */
function startUnsteadyNode(url: string, random: () => number) {
  const startedAt = performance.now();
  const isDown = (): boolean => (performance.now() - startedAt) % CYCLE_MS > CYCLE_MS / 2;
  return startFaultProxy({
    targets: () => [url],
    fault: () => (isDown() ? 'drop-request' : drawFault({ 'drop-answer': 0.05, delay: 0.05 }, random)),
    delayMs: 200,
  });
}

it('with one algod 20 rounds behind, beside an unsteady one, no confirmed payment is ever called expired', async () => {
  const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  console.log({ seed });
  const random = seededRandom(seed);
  const blocks = { everyMs: BLOCK_TIME_MS };
  const config = { MaxAcctLookback: 2 * Number(LAG) };
  const node = keep(await startDevnode({ port: 0, network: 'testnet', blocks, config }));
  await node.mine(Number(LAG) + 5);
  const lagging = keep(await startLaggingNode(node.url, LAG));
  const unsteady = keep(await startUnsteadyNode(node.url, random));
  const folder = await mkdtemp(join(tmpdir(), 'avm402-lagging-'));
  running.push(() => rm(folder, { recursive: true, force: true }));
  const facilitator = keep(
    await startFacilitator(`${lagging.url},${unsteady.url}`, {
      SPONSOR_ANYONE: 'true',
      SPONSOR_ANYONE_BUDGET: '1000000000',
      SETTLEMENT_STORE: join(folder, 'settlements.sqlite'),
      SETTLE_TIMEOUT_MS: '2000',
    }),
  );

  const planned = planOrders({ count: PAYMENTS, duplicateShare: 0, duplicates: [], poorShare: 0.05, random });
  const orders = planned.map((order) => ({ ...order, maxTimeoutSeconds: MAX_TIMEOUT_SECONDS }));
  const wallets = await openWallets({ nodeUrl: node.url, algodUrl: lagging.url, orders });
  const feePayer = developmentAccounts().facilitator.address;
  const deadline = new ProgressDeadline();
  const paying: Promise<PaidOrder>[] = [];
  for (const order of orders) {
    paying.push(payOrder(order, { facilitatorUrl: () => facilitator.url, feePayer, wallets, deadline }));
    await new Promise((resolve) => setTimeout(resolve, BLOCK_TIME_MS));
  }
  const paid = await finalRecords([facilitator.url], await Promise.all(paying));
  const debits = await readDebits(createAlgodClient({ url: node.url, token: NODE_TOKEN }));

  expect(findViolations(paid, debits)).toEqual([]);
  const states = paid.map(({ record }) => record?.state ?? 'none');
  console.log({ expired: states.filter((state) => state === 'expired').length, lagging: lagging.asked });
  expect(states.filter((state) => state === 'confirmed').length).toBeGreaterThan(PAYMENTS / 4);
  expect(lagging.asked['/v2/blocks/N/txids']).toBeGreaterThan(0);
  expect(lagging.asked['/v2/transactions/simulate']).toBeGreaterThan(0);
  expect(unsteady.counts['drop-request']).toBeGreaterThan(0);
}, 300_000);
