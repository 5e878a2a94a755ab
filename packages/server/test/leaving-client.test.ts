import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMemoryRedemptionStore } from '../src/index.ts';
import { LEFT_GRACE_MS } from '../src/response/responder.ts';
import { later } from './support/facilitator-stub.ts';
import { pay, withPayment } from './support/payments.ts';
import { eventually, offer, offerAt, offerIn, openShop, receiptIn, route } from './support/shop.ts';

/** Closes the connection with the answer: it can't break any more. */
const CLOSING = { Connection: 'close' };
const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;

describe('a client that leaves', () => {
  it('before the handler starts gets its payment back', async () => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    const payment = pay(await offerAt(url));
    const verdict = later<undefined>();
    shop.stub.onVerify = () => verdict.promise;
    const abort = new AbortController();
    const gone = fetch(url, { headers: withPayment(payment), signal: abort.signal }).catch(() => undefined);
    await eventually(() => shop.stub.verifies().length).toBe(1);
    abort.abort();
    await gone;
    await eventually(() => shop.left()).toBe(1);
    verdict.resolve(undefined);
    // Whoever comes before the claim is released is told that the payment is in use.
    await eventually(async () => (await fetch(url, { headers: withPayment(payment) })).status).toBe(200);
    expect([shop.runs(), shop.stub.settles().length]).toEqual([1, 1]);
  });

  it.each([
    ['without a payment id is not charged', undefined, 'released'],
    ['with a payment id is charged, and its response waits', newId(), 'settled'],
  ])('while the handler runs, %s', async (_case, paymentId, outcome) => {
    const work = later<void>();
    const events: string[] = [];
    let runs = 0;
    const shop = await openShop({
      onEvent: ({ type }) => void events.push(type),
      handlers: (app) =>
        void app.get('/report', async (_q, response) => {
          runs++;
          await work.promise;
          response.send(`run ${runs}`);
        }),
    });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), paymentId === undefined ? {} : { paymentId }));
    await sendAndLeave(url, headers, () => runs === 1);
    await eventually(() => shop.left()).toBe(1);
    // What nobody can come back for is given back at once, not when its handler ends.
    if (outcome === 'settled') work.resolve();
    await eventually(() => events).toContain(outcome);
    work.resolve();
    expect(shop.stub.settles()).toHaveLength(outcome === 'settled' ? 1 : 0);
    const again = await fetch(url, { headers });
    expect(again.status).toBe(200);
    expect(await again.text()).toBe(outcome === 'settled' ? 'run 1' : 'run 2');
    expect(shop.stub.settles()).toHaveLength(1);
  });

  it('while its payment is settled finds its response later', async () => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    const settled = later<undefined>();
    shop.stub.onSettle = () => settled.promise;
    await sendAndLeave(url, headers, () => shop.stub.settles().length === 1);
    await eventually(() => shop.left()).toBe(1);
    settled.resolve(undefined);
    const again = await fetch(url, { headers });
    expect([again.status, await again.text(), shop.runs()]).toEqual([200, '{"report":1}', 1]);
    expect(shop.stub.settles()).toHaveLength(1);
  });
});

describe('clients that leave while an upfront payment is settled', () => {
  it('use up none of its runs: the one who comes back for it gets it', async () => {
    let arrived = 0;
    const shop = await openShop({
      routes: { 'GET /report': { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } } },
      before: (app) =>
        void app.use((_request, _response, next) => {
          arrived++;
          next();
        }),
    });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    const settled = later<undefined>();
    shop.stub.onSettle = () => settled.promise;
    await sendAndLeave(url, headers, () => shop.stub.settles().length === 1);
    for (const count of [3, 4, 5]) await sendAndLeave(url, headers, () => arrived === count);
    await eventually(() => shop.left()).toBe(4);
    settled.resolve(undefined);
    const back = await fetch(url, { headers });
    expect([back.status, await back.text(), shop.runs()]).toEqual([200, '{"report":1}', 1]);
    expect(shop.stub.settles()).toHaveLength(1);
  });
});

describe('a client that leaves a handler that was paid up front before it has written anything', () => {
  it.each([
    ['gives up then', true],
    ['goes on for longer than it is waited for', false],
  ])('has it run again: it %s', async (_what, givesUp) => {
    let runs = 0;
    const shop = await openShop({
      routes: { 'GET /report': { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } } },
      handlers: (app) =>
        void app.get('/report', (_request, response) => {
          runs++;
          if (runs > 1) response.send('a report');
          else if (givesUp) response.once('close', () => response.destroy());
        }),
    });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    const socket = send(url, headers);
    await eventually(() => runs).toBe(1);
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    socket.destroy();
    await eventually(() => shop.left()).toBe(1);
    await vi.advanceTimersByTimeAsync(LEFT_GRACE_MS);
    vi.useRealTimers();
    const back = await fetch(url, { headers });
    expect([back.status, await back.text(), runs]).toEqual([200, 'a report', 2]);
    expect(shop.stub.settles()).toHaveLength(1);
  });
});

describe('a client whose connection breaks while the response is on its way', () => {
  it('has a response that was too large to be kept made again, three times in all', async () => {
    const bytes = 50_000_000;
    const shop = await openShop({
      maxHeldBytes: bytes,
      handlers: (app, count) =>
        void app.get('/report', (_request, response) => {
          count();
          response.send(Buffer.alloc(bytes));
        }),
    });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    for (const left of [1, 2]) {
      const broken = new AbortController();
      expect((await fetch(url, { headers, signal: broken.signal })).status).toBe(200);
      broken.abort();
      await eventually(() => shop.left()).toBe(left);
    }
    const whole = await fetch(url, { headers: { ...headers, ...CLOSING } });
    expect((await whole.arrayBuffer()).byteLength).toBe(bytes);
    const fourth = await fetch(url, { headers });
    expect([fourth.status, receiptIn(fourth)?.success]).toEqual([402, true]);
    expect([shop.runs(), shop.stub.settles().length]).toEqual([3, 1]);
  });
});

describe('a client whose connection breaks when the last bytes have left the server, and not arrived', () => {
  it.each([
    ['held', {}],
    ['paid before', { extra: { paymentFlow: 'upfront' } }],
  ])('has a response that was too large to be kept made again: %s', async (_flow, terms) => {
    const bytes = 2_000_000;
    let finished = 0;
    const shop = await openShop({
      before: (app) =>
        void app.use((_request, response, next) => {
          response.once('finish', () => finished++);
          next();
        }),
      routes: { 'GET /report': { ...route, accepts: { ...offer, ...terms } } },
      handlers: (app, count) =>
        void app.get('/report', (_request, response) => {
          count();
          response.send(Buffer.alloc(bytes));
        }),
    });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    const socket = send(url, headers);
    await once(socket, 'data');
    socket.pause();
    await eventually(() => finished).toBe(2);
    socket.resetAndDestroy();
    const again = await fetch(url, { headers: { ...headers, ...CLOSING } });
    expect([again.status, (await again.arrayBuffer()).byteLength, shop.runs()]).toEqual([200, bytes, 2]);
    expect((await fetch(url, { headers })).status).toBe(402);
    expect(shop.stub.settles()).toHaveLength(1);
  });
});

describe('a client without a payment id that leaves as its handler ends', () => {
  it('is not charged: nobody could come back for the response', async () => {
    const shop = await openShop({
      handlers: (app, count) =>
        void app.get('/report', (request, response) => {
          count();
          response.once('close', () => response.send('report'));
          request.socket.destroy();
        }),
    });
    const url = `${shop.url}/report`;
    await expect(fetch(url, { headers: withPayment(pay(await offerAt(url))) })).rejects.toThrow(TypeError);
    await eventually(() => shop.left()).toBe(1);
    // Another payment is settled meanwhile: this one would have been, too.
    const next = fetch(`${shop.url}/report`, { headers: withPayment(pay(await offerAt(url), { paymentId: newId() })) });
    await expect(next).rejects.toThrow(TypeError);
    await eventually(() => shop.stub.settles().length).toBe(1);
    expect(shop.runs()).toBe(2);
  });
});

describe('a client that waits for another request with its payment', () => {
  it('is told that it is a duplicate when the handler of that one fails: a payment is not queued for', async () => {
    const work = later<void>();
    const store = createMemoryRedemptionStore();
    let looks = 0;
    const shop = await openShop({
      store: {
        get: (txId) => {
          looks++;
          return store.get(txId);
        },
        getByPaymentId: (id) => store.getByPaymentId(id),
        put: (row, previous) => store.put(row, previous),
        remove: (row) => store.remove(row),
      },
      handlers: (app, count) =>
        void app.get('/report', async (_request, response) => {
          count();
          await work.promise;
          response.status(503).send('failed');
        }),
    });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url)));
    const first = fetch(url, { headers });
    await eventually(() => shop.runs()).toBe(1);
    const seen = looks;
    const second = fetch(url, { headers });
    await eventually(() => looks).toBeGreaterThan(seen);
    work.resolve();
    expect((await first).status).toBe(503);
    expect([(await second).status, offerIn(await second).error, shop.runs()]).toEqual([402, 'duplicate_payment', 1]);
    expect((await fetch(url, { headers })).status).toBe(503);
  });

  it('is told after a while that nothing is known yet', async () => {
    const work = later<void>();
    const shop = await openShop({
      maxWaitMs: 50,
      handlers: (app, count) =>
        void app.get('/report', async (_request, response) => {
          count();
          await work.promise;
          response.send('data');
        }),
    });
    const url = `${shop.url}/report`;
    const headers = withPayment(pay(await offerAt(url), { paymentId: newId() }));
    const first = fetch(url, { headers });
    await eventually(() => shop.runs()).toBe(1);
    const second = await fetch(url, { headers });
    expect([second.status, receiptIn(second)?.errorReason]).toEqual([503, 'settlement_pending']);
    expect(second.headers.get('retry-after')).not.toBeNull();
    work.resolve();
    expect(await (await first).text()).toBe('data');
    expect(shop.runs()).toBe(1);
  });
});

/** Sends a request, and closes the connection when the condition holds. */
async function sendAndLeave(url: string, headers: Record<string, string>, when: () => boolean): Promise<void> {
  const socket = send(url, headers);
  await eventually(when).toBe(true);
  socket.destroy();
}

function send(url: string, headers: Record<string, string>): Socket {
  const { hostname, host, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write([`GET ${pathname} HTTP/1.1`, `Host: ${host}`, ...lines, '', ''].join('\r\n'));
  return socket;
}
