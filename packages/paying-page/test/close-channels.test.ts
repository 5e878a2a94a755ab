import type { ChannelView, PayerChannels, Recovery } from '@avm402/client';
import { expect, it } from 'vitest';
import { closeChannels } from '../src/page/close-channels.ts';

const HERE = 'https://shop.example';

/** An account's channels, of which each close and each recovery ends in the same way. */
function owned(channels: readonly Pick<ChannelView, 'id' | 'state' | 'url'>[], end: Recovery) {
  const asked: string[] = [];
  const list = () => Promise.resolve(channels as readonly ChannelView[]);
  const ask = (what: string) => (id: string) => {
    asked.push(`${what} ${id}`);
    return Promise.resolve(end);
  };
  const never = () => Promise.reject(new Error('not asked for'));
  const payerChannels: PayerChannels = { list, close: ask('close'), recover: ask('recover'), find: never };
  return { payerChannels, asked };
}

it('closes the open channels of the seller, takes back what is left of those that were to close before, and leaves others alone', async () => {
  const { payerChannels, asked } = owned(
    [
      { id: 'A', state: 'open', url: `${HERE}/a` },
      { id: 'B', state: 'open', url: 'https://other.example/a' },
      { id: 'C', state: 'closing', url: `${HERE}/a` },
      { id: 'D', state: 'open' },
      { id: 'E', state: 'open', url: `${HERE}/b` },
    ],
    { state: 'closed' },
  );
  await closeChannels(payerChannels, HERE);
  expect(asked).toEqual(['close A', 'recover C', 'close E']);
});

it('says so if a channel is not closed when the time is over', async () => {
  const open = { state: 'open', balance: 5n, expiry: 9n, round: 1n } as const;
  const { payerChannels } = owned([{ id: 'A', state: 'open', url: `${HERE}/a` }], open);
  await expect(closeChannels(payerChannels, HERE)).rejects.toThrow('the seller has not closed it yet');
});

it('asks again for a channel that was to close before, and says so if it is not closed, once the others are', async () => {
  const open = { state: 'open', balance: 5n, expiry: 9n, round: 1n } as const;
  const channels = [
    { id: 'A', state: 'closing', url: HERE },
    { id: 'B', state: 'open', url: HERE },
  ] as const;
  const { payerChannels, asked } = owned(channels, open);
  await expect(closeChannels(payerChannels, HERE)).rejects.toThrow('the seller has not closed it yet');
  expect(asked).toEqual(['recover A', 'close A', 'close B']);
});

it('a channel that can’t be closed keeps no other from it, and the reason is told in the end', async () => {
  const channels = ['A', 'B', 'C'].map((id) => ({ id, state: 'open', url: HERE }) as const);
  const { payerChannels, asked } = owned(channels, { state: 'closed' });
  const close = async (id: string) => {
    const end = await payerChannels.close(id);
    if (id === 'C') return end;
    throw new Error(`${id} is on another network`);
  };
  await expect(closeChannels({ ...payerChannels, close }, HERE)).rejects.toThrow('A is on another network');
  expect(asked).toEqual(['close A', 'close B', 'close C']);
});
