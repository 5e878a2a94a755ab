import { expect, it } from 'vitest';
import { ask, ChannelBuyer, type ChannelShop, openChannelShop, statuses } from '../support/channel-shop.ts';
import { offerIn } from '../support/shop.ts';

/** A seller that has restarted, on the store of one that opened a channel; and what its facilitator is asked. */
async function restarted(): Promise<{ shop: ChannelShop; buyer: ChannelBuyer; asked: () => number }> {
  const first = await openChannelShop();
  const buyer = await ChannelBuyer.of(first);
  expect((await ask(first, await buyer.deposit(1000n, 100n))).status).toBe(200);
  const { market, store } = first;
  let asked = 0;
  const verify = market.facilitator.verify.bind(market.facilitator);
  market.facilitator.verify = (payload, requirements) => {
    asked++;
    return verify(payload, requirements);
  };
  const shop = await openChannelShop({ market, channels: { store }, now: () => 0 });
  return { shop, buyer, asked: () => asked };
}

it('the first voucher after a start is judged by the facilitator, for all that come with it and after it', async () => {
  const { shop, buyer, asked } = await restarted();
  const answers = await Promise.all([200n, 300n, 400n].map((amount) => ask(shop, buyer.pay(amount))));
  expect([statuses(answers), asked()]).toEqual([[200, 200, 200], 1]);
  expect((await ask(shop, buyer.pay(500n))).status).toBe(200);
  expect(asked()).toBe(1);
});

it('no voucher is taken after a start while nobody can say how near the expiry is', async () => {
  const { shop, buyer } = await restarted();
  const { facilitator } = shop.market;
  const verify = facilitator.verify.bind(facilitator);
  facilitator.verify = () => Promise.reject(new Error('the node is down'));
  const answers = await Promise.all([200n, 300n].map((amount) => ask(shop, buyer.pay(amount))));
  expect([statuses(answers), shop.runs()]).toEqual([[503, 503], 0]);
  facilitator.verify = verify;
  expect((await ask(shop, buyer.pay(200n))).status).toBe(200);
});

it('a first voucher that the facilitator refuses pays for nothing, and the buyer hears why', async () => {
  const { shop, buyer } = await restarted();
  const invalidReason = 'invalid_batch_settlement_avm_channel_closed';
  shop.market.facilitator.verify = async () => ({ isValid: false, invalidReason });
  const answers = await Promise.all([200n, 300n].map((amount) => ask(shop, buyer.pay(amount))));
  expect(statuses(answers)).toEqual([402, 402]);
  expect(answers.map((answer) => offerIn(answer).error)).toEqual([invalidReason, invalidReason]);
  expect(shop.runs()).toBe(0);
});

it('a buyer whose first voucher after a start comes twice at the same time gets the one answer', async () => {
  const { shop, buyer } = await restarted();
  const voucher = buyer.pay(200n, 'pay_0123456789abcdef');
  const answers = await Promise.all([1, 2].map(async () => (await ask(shop, voucher)).json()));
  expect([answers, shop.runs()]).toEqual([[{ report: 1 }, { report: 1 }], 1]);
});
