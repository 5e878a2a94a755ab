import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PaymentPayload } from '@avm402/core/payment-payload';
import { developmentAccounts } from '@avm402/devnode';
import type { Program } from '@avm402/stack/program';
import { offerOf, paidHeaders, payFor, withNewId } from '../payment.ts';
import { openPrograms, type Programs } from './programs.ts';

let programs: Programs;
let node: Program;
let facilitator: Program;
beforeEach(async () => {
  programs = await openPrograms();
  node = await programs.node();
  facilitator = await programs.facilitator(node, { SETTLEMENT_STORE: join(programs.folder, 'settlements.sqlite') });
});
afterEach(() => programs.stop());

const goods = ({ url }: Program): string => `${url}/goods/1`;
const openShop = (): Promise<Program> => programs.shop({ facilitators: [facilitator] });

async function signPayment(shop: Program): Promise<PaymentPayload> {
  return withNewId(await payFor(offerOf(await fetch(goods(shop))), developmentAccounts().payer, node.url));
}

describe('shops that keep their redemptions in memory', () => {
  it('of which two get one payment, many times each: the facilitator lets one serve it', async () => {
    const shops = [await openShop(), await openShop()] as const;
    const headers = paidHeaders(await signPayment(shops[0]));
    const atOnce = Array.from({ length: 40 }, (_, number) => fetch(goods(shops[number % 2 ? 0 : 1]), { headers }));
    const answers = await Promise.all(atOnce);
    const served = answers.filter(({ status }) => status === 200);
    expect(new Set(await Promise.all(served.map((answer) => answer.text())))).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200);
    const reasons = new Set(refused.map((answer) => [answer.status, offerOf(answer).error].join()));
    // Once the first shop's settlement is in a block, the verification that the other one asks for says so.
    expect(['402,duplicate_payment', '402,payment_already_on_chain']).toEqual(expect.arrayContaining([...reasons]));
    expect(refused.length).toBeGreaterThan(0);
    expect((await programs.runs()).length).toBeLessThanOrEqual(2);
  });

  it('of which one is killed: the next one runs nothing for what was paid, and says why', async () => {
    const shop = await openShop();
    const headers = paidHeaders(await signPayment(shop));
    expect((await fetch(goods(shop), { headers })).status).toBe(200);
    await shop.kill();
    const answer = await fetch(goods(await openShop()), { headers });
    expect([answer.status, offerOf(answer).error]).toEqual([402, 'payment_already_on_chain']);
    expect(await programs.runs()).toHaveLength(1);
  });
});
