import { setTimeout } from 'node:timers/promises';
import { type ChannelRecord, createPayer, type Payer, settlementOf } from '@avm402/client';
import { expect, it } from 'vitest';
import { charge } from '../../src/index.ts';
import { merchant, openChannelShop, openMarket, payer as account } from '../support/channel-shop.ts';

const PER_WORD = 5n;

/** Sells streams of as many words as the query says, each charged as it leaves, for at most 100; our client buys. */
async function streaming() {
  const market = await openMarket();
  const { url, runs } = await openChannelShop({
    market,
    handlers: (app, count) =>
      app.get('/report', async ({ query }, response) => {
        count();
        response.setHeader('Content-Type', 'text/event-stream');
        for (let left = Number(query['words']); left > 0 && charge(response, PER_WORD); left--) {
          response.write('data: word\n\n');
          await setTimeout(1);
        }
        response.end();
      }),
  });
  const records: ChannelRecord[] = [];
  const store = {
    read: () => Promise.resolve(records.slice(-1)),
    write: (record: ChannelRecord) => Promise.resolve(void records.push(record)),
  };
  return {
    runs,
    ask: (payer: Payer, words: number) => payer.fetch(`${url}?words=${words}`),
    paying: () => createPayer({ account, networks: { 'algorand:*': market.algod }, channels: { store } }),
    received: () => market.usdcOf(merchant),
  };
}

/** Closes the only channel of a payer. */
async function close({ channels }: Payer): Promise<unknown> {
  const [view] = (await channels?.list()) ?? [];
  return channels?.close(view?.id ?? '');
}

it('our client buys one metered stream after another, and a close pays what they cost', async () => {
  const { ask, paying, received } = await streaming();
  const before = await received();
  const payer = paying();
  for (const words of [8, 12, 1, 20]) {
    const answer = await ask(payer, words);
    expect([answer.status, settlementOf(answer)?.extra?.['chargedAmount']]).toEqual([200, String(PER_WORD)]);
    expect((await answer.text()).split('word')).toHaveLength(words + 1);
  }
  expect(await close(payer)).toEqual({ state: 'closed' });
  expect((await received()) - before).toBe(41n * PER_WORD);
});

it('our client reads metered streams side by side, one of them left before its end', async () => {
  const { ask, paying, runs } = await streaming();
  const payer = paying();
  await (await ask(payer, 20)).text();
  const under = await ask(payer, 20);
  const answers = await Promise.all([3, 20, 10].map((words) => ask(payer, words)));
  await under.body?.cancel();
  answers.push(await ask(payer, 20));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  await Promise.all(answers.map((answer) => answer.text()));
  expect((await ask(payer, 1)).status).toBe(200);
  expect(runs()).toBe(7);
});

it('our client buys metered streams with a process for each', async () => {
  const { ask, paying, received } = await streaming();
  const before = await received();
  for (const words of [8, 12, 20]) {
    const payer = paying();
    const answer = await ask(payer, words);
    expect([answer.status, (await answer.text()).split('word').length]).toEqual([200, words + 1]);
    await payer.finish(1_000);
  }
  expect(await close(paying())).toEqual({ state: 'closed' });
  expect((await received()) - before).toBe(40n * PER_WORD);
});
