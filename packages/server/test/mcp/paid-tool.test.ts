import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { HTTPRequestContext } from '@x402/core/server';
import { z } from 'zod';
import { FetchResponder } from '../../src/hosts/fetch/fetch-responder.ts';
import { responseOf, resultOf } from '../../src/hosts/mcp/tool-result.ts';
import { HeldBytes } from '../../src/response/held-bytes.ts';
import { later } from '../support/facilitator-stub.ts';
import { account, forge, pay, txIdOf } from '../support/payments.ts';
import { eventually, offer } from '../support/shop.ts';
import { callForecast, forecastOffer, openToolShop, type ToolShopOptions } from '../support/tool-shop.ts';

const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;
const upfront: ToolShopOptions['terms'] = { accepts: { ...offer, extra: { paymentFlow: 'upfront' } } };

describe.each(['memory', 'http'] as const)('a tool that costs a cent, over %s', (transport) => {
  it('is listed free of charge, and a call without payment is told the price', async () => {
    const shop = await openToolShop({ transport });
    const host = await shop.connect();
    expect((await host.listTools()).tools.map(({ name }) => name)).toEqual(['forecast', 'cities']);
    expect(await host.callTool({ name: 'cities' })).toMatchObject({ content: [{ text: 'Zürich' }] });
    const { isError, required, result, text } = await callForecast(host);
    expect(isError).toBe(true);
    expect(required).toMatchObject({
      error: 'payment_required',
      resource: { url: 'mcp://tool/forecast', description: 'A forecast', mimeType: 'application/json' },
      accepts: [{ amount: '10000' }],
    });
    expect(JSON.parse(text)).toEqual(result.structuredContent);
    expect(shop.runs()).toBe(0);
    expect(shop.stub.calls).toEqual([]);
  });

  it('gives its result and the receipt for one payment', async () => {
    const shop = await openToolShop({ transport });
    const host = await shop.connect();
    const payment = pay(await forecastOffer(host));
    const paid = await callForecast(host, payment);
    expect(paid).toMatchObject({
      isError: false,
      text: 'Bern: sunny',
      receipt: { success: true, transaction: txIdOf(payment) },
    });
    expect([...shop.stub.settled.keys()]).toEqual([txIdOf(payment)]);
  });
});

describe('a payment for a tool', () => {
  it('that comes again with its id brings the same result, and runs nothing', async () => {
    const shop = await openToolShop();
    const [host, other] = [await shop.connect(), await shop.connect()];
    const payment = pay(await forecastOffer(host), { paymentId: newId() });
    const first = await callForecast(host, payment);
    expect(await callForecast(host, payment)).toEqual(first);
    // The host has connected anew.
    expect(await callForecast(other, payment)).toEqual(first);
    expect([shop.runs(), shop.stub.settles().length]).toEqual([1, 1]);
  });

  it('pays once: not for a second call, not for other arguments, not in a copy', async () => {
    const shop = await openToolShop();
    const host = await shop.connect();
    const payment = pay(await forecastOffer(host));
    const receipt = { success: true, transaction: txIdOf(payment) };
    expect((await callForecast(host, payment)).isError).toBe(false);
    for (const args of [{ city: 'Bern' }, { city: 'Basel' }]) {
      const again = await callForecast(host, payment, args);
      expect(again).toMatchObject({ isError: true, required: { error: 'duplicate_payment' }, receipt });
    }
    const copy = await callForecast(host, forge(payment, account(9)));
    expect(copy).toMatchObject({ isError: true, required: { error: 'duplicate_payment' } });
    expect(shop.runs()).toBe(1);
  });

  it('runs the tool once, however many calls carry it at once', async () => {
    const shop = await openToolShop();
    const host = await shop.connect();
    const payment = pay(await forecastOffer(host));
    const calls = await Promise.all(Array.from({ length: 10 }, () => callForecast(host, payment)));
    expect(calls.filter(({ isError }) => !isError)).toHaveLength(1);
    expect([shop.runs(), shop.stub.settled.size]).toEqual([1, 1]);
  });

  it.each([
    ['answers an error', () => ({ isError: true, content: [{ type: 'text' as const, text: 'no data' }] }), 'no data'],
    ['throws', () => Promise.reject(new Error('broken')), 'broken'],
    [
      'throws before it returns',
      () => {
        throw new Error('at once');
      },
      'at once',
    ],
  ])('is not taken if the tool %s, and pays for the next call', async (_what, failing, text) => {
    let isBroken = true;
    const works = { content: [{ type: 'text' as const, text: 'sunny' }] };
    const shop = await openToolShop({ forecast: () => (isBroken ? failing() : works) });
    const host = await shop.connect();
    const payment = pay(await forecastOffer(host));
    const failed = await callForecast(host, payment);
    expect(failed).toMatchObject({ isError: true, text });
    expect([failed.receipt, failed.required]).toEqual([undefined, undefined]);
    expect(shop.stub.settles()).toEqual([]);
    isBroken = false;
    expect(await callForecast(host, payment)).toMatchObject({ isError: false, text: 'sunny' });
  });

  it('that is refused at settlement brings the offer and the reason, not the result', async () => {
    const shop = await openToolShop();
    const host = await shop.connect();
    shop.stub.onSettle = ({ txId }) => ({
      body: { success: false, errorReason: 'settlement_rejected', transaction: txId, network: '' },
    });
    const refused = await callForecast(host, pay(await forecastOffer(host)));
    expect(refused).toMatchObject({ isError: true, required: { error: 'settlement_rejected' } });
    expect(JSON.stringify(refused.result)).not.toContain('sunny');
  });

  it('whose outcome is not known is not asked for again', async () => {
    const shop = await openToolShop({ settleTimeoutMs: 200 });
    const host = await shop.connect();
    shop.stub.onSettle = () => 'cut';
    const payment = pay(await forecastOffer(host), { paymentId: newId() });
    const unknown = await callForecast(host, payment);
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('settlement_pending') });
    expect(unknown.required).toBeUndefined();
    shop.stub.onSettle = () => undefined;
    expect(await callForecast(host, payment)).toMatchObject({ isError: false, receipt: { success: true } });
    expect(shop.runs()).toBe(1);
  });

  it.each([
    ['a text', 'payment'],
    ['a number', 7],
    ['a list', []],
    ['an empty object', {}],
    ['of another version', { x402Version: 1, payload: {} }],
    ['deep', JSON.parse(`${'{"a":'.repeat(90)}1${'}'.repeat(90)}`)],
    ['large', { x402Version: 2, padding: 'x'.repeat(20_000) }],
  ])('that is %s is refused, and nothing runs', async (_what, payment) => {
    const shop = await openToolShop();
    const host = await shop.connect();
    expect((await callForecast(host, payment)).isError).toBe(true);
    expect([shop.runs(), shop.stub.calls]).toEqual([0, []]);
  });

  it('that is null is none', async () => {
    const host = await (await openToolShop()).connect();
    expect(await callForecast(host, null)).toMatchObject({ required: { error: 'payment_required' } });
  });
});

describe('the price of a tool', () => {
  it('can be nothing for some calls', async () => {
    const shop = await openToolShop({ terms: { isFree: ({ city }) => city === 'Zürich' } });
    const host = await shop.connect();
    expect(await callForecast(host, undefined, { city: 'Zürich' })).toMatchObject({ text: 'Zürich: sunny' });
    expect((await callForecast(host)).required).toBeDefined();
    expect(shop.stub.calls).toEqual([]);
  });

  it('is asked for where it is not known whether a call is free', async () => {
    const isFree = (): Promise<boolean> => Promise.reject(new Error('no quota service'));
    const shop = await openToolShop({ terms: { isFree } });
    const host = await shop.connect();
    expect((await callForecast(host)).isError).toBe(true);
    expect(shop.runs()).toBe(0);
  });

  it('can depend on the arguments, and the cheap payment does not buy the dear call', async () => {
    const price = ({ adapter }: HTTPRequestContext): string => {
      const { city } = z.object({ city: z.string() }).parse(adapter.getBody?.());
      return city === 'Bern' ? '$0.01' : '$0.05';
    };
    const shop = await openToolShop({ terms: { accepts: { ...offer, price } } });
    const host = await shop.connect();
    const [bern, basel] = [await forecastOffer(host), await forecastOffer(host, { city: 'Basel' })];
    expect([bern, basel].map(({ accepts }) => accepts[0]?.amount)).toEqual(['10000', '50000']);
    const cheated = await callForecast(host, pay(bern), { city: 'Basel' });
    expect(cheated).toMatchObject({ isError: true, required: { error: 'no_matching_offer' } });
    expect((await callForecast(host, pay(basel), { city: 'Basel' })).isError).toBe(false);
  });
});

describe('a tool that is paid before it runs', () => {
  it('gives the receipt when it fails, and runs again for the same payment', async () => {
    let isBroken = true;
    const shop = await openToolShop({
      terms: upfront,
      forecast: () => {
        if (isBroken) throw new Error('secret detail');
        return { content: [{ type: 'text', text: 'sunny' }] };
      },
    });
    const host = await shop.connect();
    const payment = pay(await forecastOffer(host), { paymentId: newId() });
    const failed = await callForecast(host, payment);
    expect(failed).toMatchObject({ isError: true, receipt: { success: true } });
    expect(failed.text).not.toContain('secret');
    expect(shop.events).toContainEqual(expect.objectContaining({ type: 'failed', txId: txIdOf(payment) }));
    isBroken = false;
    const paid = await callForecast(host, payment);
    expect(paid).toMatchObject({ isError: false, text: 'sunny', receipt: { success: true } });
    // It is kept now.
    expect(await callForecast(host, payment)).toEqual(paid);
    expect([shop.runs(), shop.stub.settles().length]).toEqual([2, 1]);
  });
});

describe('a call', () => {
  it('that is given up while its tool runs costs nothing', async () => {
    const [started, work] = [later<void>(), later<void>()];
    const shop = await openToolShop({
      forecast: async () => {
        started.resolve();
        await work.promise;
        return { content: [] };
      },
    });
    const host = await shop.connect();
    const giveUp = new AbortController();
    const call = callForecast(host, pay(await forecastOffer(host)), { city: 'Bern' }, giveUp.signal);
    await started.promise;
    giveUp.abort();
    await expect(call).rejects.toThrow('abort');
    await eventually(() => shop.events.map(({ type }) => type)).toContain('released');
    work.resolve();
    expect(shop.stub.settles()).toEqual([]);
  });

  it('whose result is too large to be held costs nothing', async () => {
    const shop = await openToolShop({
      maxHeldBytes: 1000,
      forecast: () => ({ content: [{ type: 'text', text: 'x'.repeat(1000) }] }),
    });
    const host = await shop.connect();
    const refused = await callForecast(host, pay(await forecastOffer(host)));
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('response_not_settleable') });
    expect(shop.stub.settles()).toEqual([]);
  });

  it('whose tool takes too long costs nothing, and what it answers then is dropped', async () => {
    const work = later<void>();
    const shop = await openToolShop({
      handlerTimeoutMs: 50,
      forecast: async () => {
        await work.promise;
        return { content: [{ type: 'text', text: 'late' }] };
      },
    });
    const host = await shop.connect();
    const late = await callForecast(host, pay(await forecastOffer(host)));
    expect(late).toMatchObject({ isError: true, text: expect.stringContaining('handler_timeout') });
    work.resolve();
    expect(shop.stub.settles()).toEqual([]);
  });
});

describe('the result of a call', () => {
  const answering = new AbortController();

  it('is no reply of the seller, though the status of one is 200', async () => {
    const closed = Response.json({ closed: 'CHANNEL' }, { headers: { 'Cache-Control': 'no-store' } });
    const result = await resultOf(closed, answering.signal);
    expect(result).toEqual({ isError: true, content: [{ type: 'text', text: '{"closed":"CHANNEL"}' }] });
  });

  it('is not waited for once its caller has left, which may be while it was being paid for', async () => {
    const responder = new FetchResponder({ subject: answering }, { handler: async () => responseOf({ content: [] }) });
    const held = responder.runHeld({ maxBytes: 1_000, share: new HeldBytes(1_000, 1_000).share('payer') });
    await held.outcome;
    answering.abort();
    held.release('receipt');
    await expect(resultOf(await responder.response, answering.signal)).rejects.toThrow('abort');
    expect(await responder.delivered()).toBe(false);
  });
});
