import { expect, it } from 'vitest';
import { createPayer, isX402Error, type ChosenOffer, type Payer, type PayingFetchOptions } from '@avm402/client';
import { payer as account, useStage } from '../stage.ts';
import { memoryChannelStore } from '../../src/channels/channel-store.ts';
import type { Answer } from '../seller.ts';
import { ChannelSeller } from './channel-seller.ts';

const stage = useStage();

/** A seller whose channels hold ten requests, and a payer whose owner is asked. */
async function asking({
  answer = () => true,
  channels = { depositMultiple: 10 },
}: { answer?: (offer: ChosenOffer) => boolean; channels?: PayingFetchOptions['channels'] } = {}) {
  const sold = new ChannelSeller(stage.chain, { terms: { minDeposit: 20_000n } });
  const line: { fault: Pick<Answer, 'cut'> } = { fault: {} };
  const { url } = await stage.sellerThat((seen, all) => (line.fault.cut ? line.fault : sold.honest(seen, all)));
  const asked: (string | undefined)[] = [];
  const left: (string | undefined)[] = [];
  const options: PayingFetchOptions = {
    account,
    networks: { 'algorand:*': stage.chain.algod },
    recoverMs: 0,
    channels,
    onOffer: (offer) => {
      asked.push(offer.deposit?.price);
      return answer(offer);
    },
    onPayment: ({ amount }, { deposit }) => {
      expect(deposit?.amount).toBe(amount);
      left.push(deposit?.price);
    },
  };
  const payer = createPayer(options);
  return { payer, options, asked, left, sold, line, pay: () => payer.fetch(url), url };
}

it('whoever confirms is shown the deposit that leaves, and only the price where a voucher pays', async () => {
  const { pay, asked, left, payer, url } = await asking();
  expect((await payer.quote(url)).chosen).toMatchObject({
    price: '$0.01',
    deposit: { amount: 100_000n, price: '$0.10' },
  });
  for (let request = 0; request < 11; request++) expect((await pay()).status).toBe(200);
  expect(asked).toEqual(['$0.10', ...Array.from({ length: 9 }, () => undefined), '$0.10']);
  expect(left).toEqual(['$0.10', '$0.10']);
  expect((await payer.quote(url)).chosen).not.toHaveProperty('deposit');
});

it('whoever confirmed a price is asked again before a deposit leaves after all, once for all who wait', async () => {
  const { pay, asked, left, sold } = await asking({
    answer: ({ deposit }) => deposit === undefined || left.length === 0,
  });
  await pay();
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, pay));
  expect(left).toEqual(['$0.10']);
  const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(reasons).toHaveLength(3);
  for (const reason of reasons) expect(isX402Error(reason, 'offer_declined')).toBe(true);
  expect(asked.filter((deposit) => deposit !== undefined)).toEqual(['$0.10', '$0.10']);
  expect([...sold.channels.values()].map(({ credit }) => credit.balance)).toEqual([100_000n]);
});

it('whoever confirmed a request whose answer was lost is asked before it takes another deposit', async () => {
  const { pay, asked, left, line, payer, url } = await asking();
  await pay();
  line.fault = { cut: 'before' };
  await expect(pay()).rejects.toThrow();
  line.fault = {};
  // It has not reached the seller, and others use up the deposit.
  for (let request = 0; request < 9; request++) await payer.fetch(`${url}?other`);
  expect((await pay()).status).toBe(200);
  expect(left).toEqual(['$0.10', '$0.10']);
  expect(asked.slice(11)).toEqual(['$0.10']);
});

it('whoever confirms in a later process is shown the price where a channel on record pays, and no deposit counts', async () => {
  const store = memoryChannelStore();
  const first = await asking({ channels: { depositMultiple: 10, store } });
  expect((await first.pay()).status).toBe(200);
  await first.payer.finish(1_000);
  const later = (): Payer =>
    createPayer({
      ...first.options,
      spend: { perDay: '$0.05' },
      channels: { depositMultiple: 10, store: { ...store } },
    });
  expect((await later().quote(first.url)).chosen?.deposit).toBeUndefined();
  expect((await later().fetch(first.url)).status).toBe(200);
  expect([first.asked, first.left]).toEqual([['$0.10', undefined], ['$0.10']]);
});
