import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { developmentAccounts } from '@avm402/devnode';
import type { Program } from '@avm402/stack/program';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { offerOf, paidHeaders, payFor, withNewId } from '../payment.ts';
import { openPrograms, type Programs } from './programs.ts';

let programs: Programs;
let node: Program;
let facilitator: Program;
beforeEach(async () => {
  programs = await openPrograms();
});
afterEach(() => programs.stop());

async function start(...options: string[]): Promise<void> {
  node = await programs.node(...options);
  facilitator = await programs.facilitator(node, { SETTLEMENT_STORE: join(programs.folder, 'settlements.sqlite') });
}

const goods = ({ url }: Program): string => `${url}/goods/1`;
const openShop = (): Promise<Program> => programs.shop({ facilitators: [facilitator] });

async function signPayment(shop: Program): Promise<PaymentPayload> {
  return withNewId(await payFor(offerOf(await fetch(goods(shop))), developmentAccounts().payer, node.url));
}

describe('shops that keep their redemptions in memory', () => {
  it('of which two get one payment, many times each: the facilitator lets one serve it', async () => {
    await start('--manual');
    const shops = [await openShop(), await openShop()] as const;
    const headers = paidHeaders(await signPayment(shops[0]));
    const refused: Response[] = [];
    const atOnce = Array.from({ length: 40 }, async (_, number) => {
      const answer = await fetch(goods(shops[number % 2 ? 0 : 1]), { headers });
      if (answer.status !== 200) refused.push(answer);
      return answer;
    });
    // Before the block, only the shop that doesn't settle it can answer.
    await expect.poll(() => refused.length).toBe(20);
    await fetch(`${node.url}/dev/mine`, { method: 'POST', headers: { 'X-Algo-API-Token': NODE_TOKEN } });
    const answers = await Promise.all(atOnce);
    const served = answers.filter(({ status }) => status === 200);
    expect([served.length, new Set(await Promise.all(served.map((answer) => answer.text()))).size]).toEqual([20, 1]);
    expect(new Set(refused.map((answer) => [answer.status, offerOf(answer).error].join()))).toEqual(
      new Set(['402,duplicate_payment']),
    );
    expect((await programs.runs()).length).toBeLessThanOrEqual(2);
  });

  it('of which one is killed: the next one runs nothing for what was paid, and says why', async () => {
    await start();
    const shop = await openShop();
    const headers = paidHeaders(await signPayment(shop));
    expect((await fetch(goods(shop), { headers })).status).toBe(200);
    await shop.kill();
    const answer = await fetch(goods(await openShop()), { headers });
    expect([answer.status, offerOf(answer).error]).toEqual([402, 'payment_already_on_chain']);
    expect(await programs.runs()).toHaveLength(1);
  });
});
