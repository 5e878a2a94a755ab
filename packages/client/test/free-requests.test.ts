import { noTrace } from '@avm402/core/trace';
import { expect, it } from 'vitest';
import { RememberedOffers } from '../src/offers/remembered-offers.ts';
import type { LazyChannels } from '../src/payment/lazy-channels.ts';
import { RequestLoop, type RequestLoopOptions } from '../src/payment/request-loop.ts';
import { UnfinishedPayments } from '../src/payment/unfinished-payments.ts';

it('a request that costs nothing is answered where the code of channels can’t be loaded, and loads none', async () => {
  let loads = 0;
  const channels: Pick<LazyChannels, 'load' | 'loaded'> = {
    loaded: undefined,
    load: () => (loads++, Promise.reject(new Error('offline'))),
  };
  const now = () => 0;
  const options: Partial<RequestLoopOptions> = {
    channels: channels as LazyChannels,
    fetch: async () => new Response('free'),
    trace: async () => noTrace,
    unfinished: new UnfinishedPayments({ now }),
    remembered: new RememberedOffers(now),
  };
  const loop = new RequestLoop(options as RequestLoopOptions);
  expect(await (await loop.fetch('https://shop.example/')).text()).toBe('free');
  expect(loads).toBe(0);
});
