import { BatchSettlementAvmServer } from '@avm402/avm/batch-settlement/server';
import { x402ResourceServer } from '@x402/core/server';
import { describe, expect, it } from 'vitest';
import { charge, createSeller, createMemoryChannelStore } from '../../src/index.ts';
import { paymentMiddleware as fetchHandler } from '../../src/hosts/fetch/fetch.ts';
import { ChannelBuyer, merchant, openMarket } from '../support/channel-shop.ts';
import { afterwards, eventually, listen } from '../support/shop.ts';
import { getRequestListener } from '@hono/node-server';

describe('a Response that is charged while it streams', () => {
  it('has all that was written before its charge was refused, however far it was on its way', async () => {
    const market = await openMarket();
    const server = new x402ResourceServer(market.facilitator).register('algorand:*', new BatchSettlementAvmServer());
    const channels = { store: createMemoryChannelStore(), sweepMs: 1_000_000 };
    const seller = createSeller({ server, channels, publicUrl: 'https://shop.example', onEvent: () => undefined });
    afterwards(async () => seller.channels?.stop());
    const accepts = {
      scheme: 'batch-settlement',
      network: market.facilitator.network,
      payTo: merchant,
      price: { asset: '10458941', amount: '100' },
    } as const;
    const ask = fetchHandler(seller.priced({ accepts }), (request) => {
      let written = 0;
      const source = new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            if (charge(request, 25n)) controller.enqueue(Buffer.from(`data: ${++written}\n\n`));
            else controller.close();
          },
        },
        // Made ahead of whoever reads: four parts are charged before the first is taken.
        { highWaterMark: 8 },
      );
      const body = source.pipeThrough(new TransformStream(undefined, undefined, { highWaterMark: 2 }));
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
    });
    const listener = getRequestListener((request) => ask(request));
    const url = await listen((request, response) => void listener(request, response));
    const buyer = await ChannelBuyer.of({ url, market });
    const answer = await fetch(url, { headers: await buyer.deposit(1000n, 100n) });
    expect(await answer.text()).toBe([1, 2, 3, 4].map((part) => `data: ${part}\n\n`).join(''));
    await eventually(async () => (await channels.store.get(buyer.channelId))?.charged).toBe(100n);
  });
});
