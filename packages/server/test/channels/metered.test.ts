import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Response as ExpressResponse } from 'express';
import { describe, expect, it } from 'vitest';
import { charge } from '../../src/index.ts';
import { eventually, receiptIn } from '../support/shop.ts';
import { ask, ChannelBuyer, type ChannelShop, openChannelShop } from '../support/channel-shop.ts';

interface Sold {
  readonly shop: ChannelShop & { readonly handling: () => Promise<ExpressResponse> };
  readonly buyer: ChannelBuyer;
  /** Asks, with a deposit of 1,000 for the first. */
  readonly buy: (amount: bigint) => Promise<Response>;
  readonly charged: () => Promise<bigint | undefined>;
}

/** Sells what a handler answers for at most 100. */
async function selling(handler: (response: ExpressResponse) => void | Promise<void>): Promise<Sold> {
  let handled: (response: ExpressResponse) => void = () => undefined;
  const shop = await openChannelShop({
    handlers: (app, count) =>
      app.get('/report', async (_request, response) => {
        count();
        handled(response);
        await handler(response);
      }),
  });
  const buyer = await ChannelBuyer.of(shop);
  let isOpen = false;
  return {
    shop: { ...shop, handling: () => new Promise((resolve) => (handled = resolve)) },
    buyer,
    buy: async (amount) => {
      const headers = isOpen ? buyer.pay(amount) : await buyer.deposit(1000n, amount);
      isOpen = true;
      return ask(shop, headers);
    },
    charged: async () => (await shop.store.get(buyer.channelId))?.charged,
  };
}

const chargedIn = (answer: Response): unknown => receiptIn(answer)?.extra?.['chargedAmount'];

describe('a request whose price is metered', () => {
  it('costs what its handler charges, all charges together', async () => {
    const { buy, charged } = await selling((response) => {
      expect([charge(response, 20n), charge(response, 3n)]).toEqual([true, true]);
      response.json({});
    });
    expect(chargedIn(await buy(100n))).toBe('23');
    expect(chargedIn(await buy(123n))).toBe('23');
    expect(await charged()).toBe(46n);
  });

  it('costs at most what was offered, and its handler is told', async () => {
    const { buy } = await selling((response) => void response.json({ charged: charge(response, 101n) }));
    const answer = await buy(100n);
    expect([chargedIn(answer), await answer.json()]).toEqual(['100', { charged: false }]);
  });

  it('can be free, and is answered', async () => {
    const { buy, charged } = await selling((response) => void response.json({ free: charge(response, 0n) }));
    expect(chargedIn(await buy(100n))).toBe('0');
    expect(await charged()).toBe(0n);
  });

  it('costs nothing if its handler fails, whatever it has charged', async () => {
    const { buy, charged } = await selling((response) => {
      charge(response, 50n);
      response.status(500).json({});
    });
    const answer = await buy(100n);
    expect([answer.status, receiptIn(answer), await charged()]).toEqual([500, undefined, 0n]);
  });

  it('refuses a negative charge', async () => {
    const { buy } = await selling((response) => {
      expect(() => charge(response, -1n)).toThrow(expect.objectContaining({ code: 'invalid_amount' }));
      response.json({});
    });
    expect((await buy(100n)).status).toBe(200);
  });
});

describe('an event stream', () => {
  const stream = (response: ExpressResponse): void => void response.setHeader('Content-Type', 'text/event-stream');

  it('leaves as it is charged: each part once its charge is on record', async () => {
    let goOn: () => void = () => undefined;
    const { buy, charged } = await selling(async (response) => {
      stream(response);
      charge(response, 10n);
      response.write('data: one\n\n');
      await new Promise<void>((resolve) => (goOn = resolve));
      charge(response, 15n);
      response.end('data: two\n\n');
    });
    const answer = await buy(100n);
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect([chargedIn(answer), (await reader?.read())?.value, await charged()]).toEqual(['10', 'data: one\n\n', 10n]);
    goOn();
    expect([(await reader?.read())?.value, (await reader?.read())?.done, await charged()]).toEqual([
      'data: two\n\n',
      true,
      25n,
    ]);
  });

  it('ends when the credit is used up, before what can’t be paid for', async () => {
    let ended: unknown;
    const { buy, charged } = await selling(async (response) => {
      stream(response);
      for (let word = 0; charge(response, 30n) && word < 100; word++) {
        response.write(`data: ${word}\n\n`);
        await setTimeout(1);
      }
      ended = response.writableEnded;
    });
    const answer = await buy(100n);
    expect(await answer.text()).toBe('data: 0\n\ndata: 1\n\ndata: 2\n\n');
    expect([ended, await charged()]).toEqual([true, 90n]);
  });

  it('whose handler charges nothing itself costs what was offered before its first byte leaves', async () => {
    const { buy, charged, shop, buyer } = await selling((response) => {
      stream(response);
      response.end('data: all\n\n');
    });
    const answer = await buy(100n);
    expect([chargedIn(answer), await answer.text(), await charged()]).toEqual(['100', 'data: all\n\n', 100n]);
    const { channelId } = buyer;
    await eventually(() => shop.events.filter(({ type }) => type === 'settled').length).toBe(2);
    expect(shop.events).toContainEqual(
      expect.objectContaining({ type: 'settled', channelId, txId: expect.anything() }),
    );
  });

  it('is charged for no more once its client has left, and its request ends', async () => {
    let left: Promise<unknown> | undefined;
    const { buy, charged, shop, buyer } = await selling(async (response) => {
      stream(response);
      left = once(response, 'close');
      charge(response, 10n);
      response.write('data: one\n\n');
      await left;
      charge(response, 50n);
      response.write('data: two\n\n');
    });
    const answer = await buy(100n);
    await answer.body?.cancel();
    await left;
    await setTimeout(20);
    expect(await charged()).toBe(10n);
    const closed = await shop.seller.channels?.close(buyer.channelId);
    expect(closed).toMatchObject({ state: 'closed', charged: 10n });
  });

  it('ends once where its client leaves while a part is put on record: that part is charged, and its channel can be closed', async () => {
    const { buy, buyer, charged, shop } = await selling(async (response) => {
      stream(response);
      charge(response, 10n);
      response.write('data: one\n\n');
      const left = once(response, 'close');
      await once(response, 'go on');
      charge(response, 5n);
      response.write('data: two\n\n');
      await left;
      response.emit('left');
    });
    const write = shop.store.write.bind(shop.store);
    const opened = shop.handling();
    const answer = await buy(100n);
    const response = await opened;
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const isWriting = new Promise<void>((resolve) => {
      shop.store.write = async (changes) => {
        resolve();
        await held;
        return write(changes);
      };
    });
    const hasLeft = once(response, 'left');
    response.emit('go on');
    await isWriting;
    await answer.body?.cancel();
    await hasLeft;
    goOn();
    expect(await shop.seller.channels?.close(buyer.channelId)).toMatchObject({ state: 'closed', charged: 15n });
    expect(await charged()).toBe(15n);
  });

  it('takes nothing of what is written after it was cut off', async () => {
    const taken: boolean[] = [];
    const { buy } = await selling((response) => {
      stream(response);
      charge(response, 90n);
      response.write('data: paid\n\n');
      charge(response, 20n);
      taken.push(response.write('data: unpaid\n\n'));
      response.end('data: unpaid\n\n');
    });
    const answer = await buy(100n);
    expect([await answer.text(), taken]).toEqual(['data: paid\n\n', [false]]);
  });

  it('asks a handler that writes faster than its client reads to pause, so that it fills no memory', async () => {
    const [part, parts] = ['x'.repeat(65_536), 320];
    let [written, held] = [0, 0];
    const { buy } = await selling(async (response) => {
      stream(response);
      charge(response, 1n);
      for (; written < parts; written++) {
        if (!response.write(part)) await once(response, 'drain');
        held = Math.max(held, response.writableLength);
        await setImmediate();
      }
      response.end();
    });
    const answer = await buy(100n);
    for (let before = -1; before !== written; await setTimeout(100)) before = written;
    expect((await answer.text()).length).toBe(part.length * parts);
    expect(held).toBeLessThan(1_000_000);
  });

  it('asks a handler that writes faster than it is charged to pause, once more than 64 KiB wait', async () => {
    const goesOn: boolean[] = [];
    const { buy } = await selling(async (response) => {
      stream(response);
      charge(response, 1n);
      response.write('data: one\n\n');
      goesOn.push(response.write('x'.repeat(65_536)), response.write('y'));
      await once(response, 'drain');
      response.end('end');
    });
    const answer = await buy(100n);
    expect((await answer.text()).length).toBe(65_551);
    expect(goesOn).toEqual([true, false]);
  });
});
