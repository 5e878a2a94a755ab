import { X402Error } from '@avm402/core/errors';
import express from 'express';
import { expect, it } from 'vitest';
import { channelRoutes } from '../../src/index.ts';
import { ask, ChannelBuyer, merchant, openChannelShop } from '../support/channel-shop.ts';
import { listen } from '../support/shop.ts';

const token = 'a token of an operator';
const authorization = { Authorization: `Bearer ${token}` };

/** A shop with a channel that owes 100 of its 1,000, and its routes. */
async function opened() {
  const shop = await openChannelShop();
  const buyer = await ChannelBuyer.of(shop);
  expect((await ask(shop, await buyer.deposit(1000n, 100n))).status).toBe(200);
  const { channels } = shop.seller;
  if (channels === undefined) throw new Error('the shop takes no channels');
  const url = await listen(express().use('/channels', channelRoutes({ channels, token })));
  return { shop, buyer, url: `${url}/channels` };
}

const linesOf = async (response: Response): Promise<unknown[]> =>
  (await response.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));

it('an operator sees what each channel owes, and closes one on chain', async () => {
  const { shop, buyer, url } = await opened();
  const before = await shop.market.usdcOf(merchant);
  const { channelId } = buyer;
  const listed = await fetch(url, { headers: authorization });
  expect(await linesOf(listed)).toMatchObject([{ channelId, state: 'open', owed: '100', balance: '1000' }]);
  const closed = await fetch(`${url}/${channelId}/close`, { method: 'POST', headers: authorization });
  expect(await closed.json()).toMatchObject({ channelId, state: 'closed', owed: '100', closing: { reason: 'seller' } });
  expect(await shop.market.usdcOf(merchant)).toBe(before + 100n);
  expect(await linesOf(await fetch(url, { headers: authorization }))).toEqual([]);
});

it('nobody else sees or closes anything', async () => {
  const { buyer, url } = await opened();
  for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: token }]) {
    expect((await fetch(url, { headers })).status).toBe(401);
    expect((await fetch(`${url}/${buyer.channelId}/close`, { method: 'POST', headers })).status).toBe(401);
  }
  expect(await linesOf(await fetch(url, { headers: authorization }))).toHaveLength(1);
});

it('a request that only reads closes nothing, and what the list answers to takes no other method', async () => {
  const { shop, buyer, url } = await opened();
  expect((await fetch(`${url}/${buyer.channelId}/close`, { headers: authorization })).status).toBe(404);
  expect((await fetch(url, { method: 'POST', headers: authorization })).status).toBe(404);
  expect(await shop.store.get(buyer.channelId)).toMatchObject({ state: 'open' });
});

it('a channel that is not there is not closed, and other paths are none of these routes', async () => {
  const { url } = await opened();
  const unknown = await fetch(`${url}/${merchant}/close`, { method: 'POST', headers: authorization });
  expect(unknown.status).toBe(404);
  expect(await unknown.json()).toMatchObject({ error: 'invalid_batch_settlement_avm_channel_not_found' });
  expect((await fetch(`${url}/other`, { headers: authorization })).status).toBe(404);
});

it('an operator is told that the store fails', async () => {
  const { channels } = (await openChannelShop()).seller;
  if (channels === undefined) throw new Error('the shop takes no channels');
  // oxlint-disable-next-line require-yield
  const list = async function* (): AsyncGenerator<never> {
    throw new X402Error('store_unavailable');
  };
  const url = await listen(express().use(channelRoutes({ channels: { ...channels, list }, token })));
  const failed = await fetch(url, { headers: authorization });
  expect([failed.status, await failed.json()]).toEqual([503, expect.objectContaining({ error: 'store_unavailable' })]);
});

it('a token that can be guessed is refused at the start', async () => {
  const { channels } = (await openChannelShop()).seller;
  if (channels === undefined) throw new Error('the shop takes no channels');
  for (const wrong of ['short', undefined, 1234567890123456]) {
    expect(() => channelRoutes({ channels, token: wrong as string })).toThrow(
      expect.objectContaining({ code: 'invalid_option' }),
    );
  }
});
