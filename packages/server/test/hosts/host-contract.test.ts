import { randomBytes } from 'node:crypto';
import { BatchSettlementAvmServer } from '@avm402/avm/batch-settlement/server';
import { x402ResourceServer } from '@x402/core/server';
import { describe, expect, it } from 'vitest';
import { createSeller, createMemoryChannelStore, type PaymentOptions, type RoutesConfig } from '../../src/index.ts';
import { ChannelBuyer, merchant, openMarket, statuses } from '../support/channel-shop.ts';
import { type FacilitatorStub, later } from '../support/facilitator-stub.ts';
import { hostile } from '../support/hostile-targets.ts';
import { page, script } from '../support/paying-page.ts';
import { pay, withPayment } from '../support/payments.ts';
import { rawRequest, statusIn } from '../support/raw-request.ts';
import {
  afterwards,
  eventually,
  facilitator,
  offer,
  offerAt,
  offerIn,
  receiptIn,
  resources,
  route,
} from '../support/shop.ts';
import { type Answered, type Asked, type Handler, hosts } from './hosts.ts';

const SECRET = 'paid content';
const upfront = { ...route, accepts: { ...offer, extra: { paymentFlow: 'upfront' } } };
const newId = (): string => `pay_${randomBytes(16).toString('hex')}`;
const report: Handler = () => ({ body: SECRET });

interface HostShop {
  readonly url: string;
  readonly stub: FacilitatorStub;
  readonly runs: () => number;
}

interface HostShopOptions extends PaymentOptions {
  readonly routes?: RoutesConfig;
}

describe.each(hosts)('$name', ({ serve }) => {
  /** Sells `/report`. */
  async function open(handler: Handler = report, { routes, ...options }: HostShopOptions = {}): Promise<HostShop> {
    const stub = await facilitator();
    let runs = 0;
    const seller = createSeller({
      server: resources(stub),
      publicUrl: 'https://shop.example',
      onEvent: () => undefined,
      ...options,
    });
    const counted: Handler = (asked) => {
      runs++;
      return handler(asked);
    };
    const site = await serve({
      seller,
      routes: routes ?? { '/report': route },
      handlers: { '/report': counted, '/free': () => ({ body: 'free' }) },
    });
    return { url: `${site}/report`, stub, runs: () => runs };
  }

  /** The headers of a request that pays. */
  async function paying({ url }: HostShop, options: { readonly paymentId?: string } = {}) {
    return withPayment(pay(await offerAt(url), options));
  }

  it('asks for payment, takes it, and serves once; what is free stays free', async () => {
    const shop = await open();
    const unpaid = await fetch(shop.url, { headers: { Origin: 'https://page.example' } });
    expect(unpaid.status).toBe(402);
    expect(unpaid.headers.get('access-control-allow-origin')).toBe('https://page.example');
    expect(unpaid.headers.get('vary')).toContain('PAYMENT-SIGNATURE');
    expect(offerIn(unpaid).resource.url).toBe('https://shop.example/report');
    expect(shop.runs()).toBe(0);
    const headers = await paying(shop);
    const paid = await fetch(shop.url, { headers: { ...headers, Origin: 'https://page.example' } });
    expect([paid.status, await paid.text(), receiptIn(paid)?.success]).toEqual([200, SECRET, true]);
    expect([paid.headers.get('cache-control'), paid.headers.get('content-length')]).toEqual(['private', '12']);
    expect(paid.headers.get('access-control-allow-origin')).toBe('https://page.example');
    const again = await fetch(shop.url, { headers });
    expect([again.status, offerIn(again).error]).toEqual([402, 'duplicate_payment']);
    expect([shop.runs(), shop.stub.settles().length]).toEqual([1, 1]);
    expect(await (await fetch(shop.url.replace('report', 'free'))).text()).toBe('free');
  });

  it('gives a browser a page that pays, with the script that it needs', async () => {
    const shop = await open(report, { page });
    const answer = await fetch(shop.url, { headers: { Accept: 'text/html' } });
    expect(answer.headers.get('content-security-policy')).toMatch(/script-src 'nonce-[\w-]{22}' 'strict-dynamic';/);
    const [, path = ''] = /<script type="module" nonce="[\w-]{22}" src="([^"]+)">/.exec(await answer.text()) ?? [];
    const file = await fetch(new URL(path, shop.url));
    expect([file.status, await file.text()]).toEqual([200, script.toString()]);
    expect(shop.runs()).toBe(0);
  });

  it(`none of ${hostile.length} hostile paths reaches what is paid`, async () => {
    const stub = await facilitator();
    const priced = ['/premium', '/users/:id', '/deep', '/deep/:id', '/api/data', '/bracket/:id', '/any'];
    const ran: string[] = [];
    const handlers = Object.fromEntries(
      priced.map((path) => [
        path,
        () => {
          ran.push(path);
          return { body: SECRET };
        },
      ]),
    );
    const routes = { '/premium': route, '/users/:id': route, '/deep/*': route, '/api/data': route };
    const seller = createSeller({
      server: resources(stub),
      publicUrl: 'https://shop.example',
      onEvent: () => undefined,
    });
    const site = await serve({ seller, routes: { ...routes, '/bracket/[name]': route, '/any': route }, handlers });
    for (const target of hostile) {
      const answer = await rawRequest(site, target);
      expect([target, [0, 400, 402, 404].includes(statusIn(answer)), answer.includes(SECRET)]).toEqual([
        target,
        true,
        false,
      ]);
    }
    expect(ran).toEqual([]);
    const other = createSeller({
      server: resources(stub),
      publicUrl: 'https://shop.example',
      onEvent: () => undefined,
    });
    const unguarded = await serve({ seller: other, routes: { '/other': route }, handlers });
    for (const target of hostile) await rawRequest(unguarded, target);
    expect(ran.length).toBeGreaterThan(20);
  });

  it.each([
    'http://shop.example/report',
    'HTTP://Other.example:81/report?a=b',
    'x://y/report',
    'https://u:p@h/rep%6Frt',
  ])('lets nobody past who asks for the absolute target %s', async (target) => {
    const shop = await open();
    const answer = await rawRequest(shop.url, target);
    expect([400, 402, 404]).toContain(statusIn(answer));
    expect([answer.includes(SECRET), shop.runs()]).toEqual([false, 0]);
  });

  it('lets nothing of an answer go before it is settled, and nothing at all if it is not', async () => {
    const shop = await open(() => ({ headers: { 'X-Secret': SECRET, ETag: '"s"' }, body: SECRET }));
    const verdict = later<{ body: object }>();
    shop.stub.onSettle = () => verdict.promise;
    const asked = fetch(shop.url, { headers: await paying(shop) });
    await eventually(() => shop.stub.settles().length).toBe(1);
    expect(shop.runs()).toBe(1);
    verdict.resolve({ body: { success: false, errorReason: 'settlement_rejected', transaction: '', network: '' } });
    const answer = await asked;
    expect([answer.status, answer.headers.get('x-secret'), answer.headers.get('etag')]).toEqual([402, null, null]);
    expect(await answer.text()).not.toContain(SECRET);
  });

  it('charges nothing for a handler that fails, and passes its answer on without what describes a paid one', async () => {
    const answers: (() => Answered)[] = [
      () => ({ status: 503, headers: { ETag: '"s"', 'X-Why': 'rain' }, body: 'no weather' }),
      () => {
        throw new Error('no weather');
      },
      () => ({ body: SECRET }),
    ];
    const shop = await open(() => answers.shift()?.() ?? {});
    const headers = await paying(shop);
    const failed = await fetch(shop.url, { headers });
    expect([failed.status, failed.headers.get('etag'), failed.headers.get('x-why')]).toEqual([503, null, 'rain']);
    expect([await failed.text(), receiptIn(failed)]).toEqual(['no weather', undefined]);
    expect((await fetch(shop.url, { headers })).status).toBe(500);
    expect(shop.stub.settles()).toEqual([]);
    expect(await (await fetch(shop.url, { headers })).text()).toBe(SECRET);
    expect([shop.runs(), shop.stub.settles().length]).toEqual([3, 1]);
  });

  it('answers for a handler that takes too long; what comes later goes nowhere', async () => {
    const work = later<Answered>();
    const shop = await open(() => work.promise, { handlerTimeoutMs: 30 });
    const answer = await fetch(shop.url, { headers: await paying(shop) });
    work.resolve({ body: SECRET });
    expect([answer.status, (await answer.text()).includes(SECRET)]).toEqual([504, false]);
    expect(shop.stub.settles()).toEqual([]);
  });

  it('charges nothing for an answer that is too large to be held, cut off before its length, or an event stream', async () => {
    const answers: Answered[] = [
      { body: 'x'.repeat(2000) },
      { body: parts('x'.repeat(600), 'x'.repeat(600)) },
      { headers: { 'Content-Length': '12' }, body: parts(SECRET.slice(0, 6)) },
      { headers: { 'Content-Type': 'text/event-stream' }, body: parts(SECRET) },
    ];
    const shop = await open(() => answers.shift() ?? {}, { maxHeldBytes: 1000 });
    for (const _kind of ['long', 'longer than it says', 'shorter than it says', 'a stream']) {
      const answer = await fetch(shop.url, { headers: await paying(shop) });
      expect([answer.status, await answer.json()]).toMatchObject([500, { error: 'response_not_settleable' }]);
    }
    expect(shop.stub.settles()).toEqual([]);
  });

  it('hides from the handler what asks for part of an answer, or whether it has changed', async () => {
    const seen: unknown[] = [];
    const shop = await open(({ header }) => {
      seen.push(header('range'), header('if-none-match'), header('x-other'));
      return { body: SECRET };
    });
    const asking = { Range: 'bytes=0-1', 'If-None-Match': '*', 'X-Other': 'here' };
    await fetch(shop.url, { headers: { ...(await paying(shop)), ...asking } });
    expect(seen).toEqual([undefined, undefined, 'here']);
  });

  it('serves one of many requests with one payment', async () => {
    const shop = await open();
    const headers = await paying(shop);
    const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(shop.url, { headers })));
    expect(statuses(answers)).toEqual([200, ...Array.from({ length: 7 }, () => 402)]);
    expect([shop.runs(), shop.stub.settles().length]).toEqual([1, 1]);
  });

  it('gives the buyer who comes back the same answer, and nobody who asks for something else', async () => {
    const shop = await open(async ({ body }) => ({ headers: { 'Set-Cookie': 'a=b' }, body: `read ${await body()}` }));
    const headers = { 'Content-Type': 'text/plain', ...(await paying(shop, { paymentId: newId() })) };
    const ask = (body: string): Promise<Response> => fetch(shop.url, { method: 'POST', headers, body });
    const [first, second] = [await ask('one'), await ask('one')];
    expect([await first.text(), await second.text(), shop.runs()]).toEqual(['read one', 'read one', 1]);
    expect([second.headers.get('set-cookie'), receiptIn(second)?.success]).toEqual(['a=b', true]);
    expect((await ask('two')).status).toBe(409);
  });

  it('gives the payment of a client that left before the end back', async () => {
    const work = later<Answered>();
    const released: unknown[] = [];
    const onEvent: PaymentOptions['onEvent'] = ({ type, code }) => type === 'released' && released.push(code);
    const shop = await open(() => work.promise, { onEvent });
    const headers = await paying(shop);
    const abort = new AbortController();
    const gone = fetch(shop.url, { headers, signal: abort.signal }).catch(() => undefined);
    await eventually(() => shop.runs()).toBe(1);
    abort.abort();
    await gone;
    await eventually(() => released).toEqual(['gone']);
    work.resolve({ body: SECRET });
    expect(await (await fetch(shop.url, { headers })).text()).toBe(SECRET);
    expect([shop.runs(), shop.stub.settles().length]).toEqual([2, 1]);
  });

  it('streams what is settled before, with the receipt in its head', async () => {
    const rest = later<void>();
    const shop = await open(() => ({ headers: { 'Content-Type': 'text/event-stream' }, body: slowly(rest.promise) }), {
      routes: { '/report': upfront },
    });
    const answer = await fetch(shop.url, { headers: await paying(shop) });
    expect([answer.status, receiptIn(answer)?.success]).toEqual([200, true]);
    const reader = answer.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n');
    rest.resolve();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 2\n\n');
    expect((await reader?.read())?.done).toBe(true);
  });

  it('runs a handler again whose stream broke off, or that failed, for the buyer who has paid', async () => {
    const answers: (() => Answered)[] = [
      () => ({ body: broken() }),
      () => {
        throw new Error('no weather');
      },
      () => ({ body: parts('all', ' of it') }),
    ];
    const shop = await open(() => answers.shift()?.() ?? {}, { routes: { '/report': upfront } });
    const headers = await paying(shop, { paymentId: newId() });
    await expect(fetch(shop.url, { headers }).then((answer) => answer.text())).rejects.toThrow(TypeError);
    await eventually(async () => (await fetch(shop.url, { headers })).status).toBe(500);
    await eventually(async () => (await fetch(shop.url, { headers })).text()).toBe('all of it');
    expect(await (await fetch(shop.url, { headers })).text()).toBe('all of it');
    expect([shop.runs(), shop.stub.settles().length]).toEqual([3, 1]);
  });

  it('breaks off what is cut off before its length, and runs its handler again for the buyer who has paid', async () => {
    const length = { 'Content-Length': '9' };
    const answers = [parts('all'), parts('all', ' of it')];
    const shop = await open(() => ({ headers: length, body: answers.shift() ?? '' }), {
      routes: { '/report': upfront },
    });
    const headers = await paying(shop, { paymentId: newId() });
    await expect(fetch(shop.url, { headers }).then((answer) => answer.text())).rejects.toThrow(TypeError);
    expect(await (await fetch(shop.url, { headers })).text()).toBe('all of it');
    expect(await (await fetch(shop.url, { headers })).text()).toBe('all of it');
    expect([shop.runs(), shop.stub.settles().length]).toEqual([2, 1]);
  });

  it('a channel costs what the handler charges; a stream leaves part by part, charged, and ends where no more is paid for', async () => {
    const market = await openMarket();
    const server = new x402ResourceServer(market.facilitator).register('algorand:*', new BatchSettlementAvmServer());
    const channels = { store: createMemoryChannelStore(), sweepMs: 1_000_000 };
    const seller = createSeller({ server, channels, publicUrl: 'https://shop.example', onEvent: () => undefined });
    afterwards(async () => seller.channels?.stop());
    const price = { asset: '10458941', amount: '100' };
    const { network } = market.facilitator;
    const accepts = { scheme: 'batch-settlement', network, payTo: merchant, price } as const;
    const site = await serve({
      seller,
      routes: { '/report': { accepts }, '/stream': { accepts } },
      handlers: {
        '/report': ({ charge }) => ({ body: String(charge(30n)) }),
        '/stream': ({ charge }) => ({ headers: { 'Content-Type': 'text/event-stream' }, body: metered(charge) }),
      },
    });
    const url = `${site}/report`;
    const buyer = await ChannelBuyer.of({ url, market });
    const first = await fetch(url, { headers: await buyer.deposit(1000n, 100n) });
    expect([first.status, await first.text()]).toEqual([200, 'true']);
    expect(receiptIn(first)?.extra).toMatchObject({ chargedAmount: '30' });
    const stream = await fetch(`${site}/stream`, { headers: buyer.pay(130n) });
    expect([stream.status, await stream.text()]).toEqual([200, 'data: 1\n\ndata: 2\n\n']);
    await eventually(async () => (await channels.store.get(buyer.channelId))?.charged).toBe(30n + 80n);
  });
});

async function* parts(...all: readonly string[]): AsyncGenerator<string> {
  yield* all;
}

async function* slowly(rest: Promise<void>): AsyncGenerator<string> {
  yield 'data: 1\n\n';
  await rest;
  yield 'data: 2\n\n';
}

async function* broken(): AsyncGenerator<string> {
  yield 'half';
  throw new Error('the sensor is gone');
}

/** Costs 40 a part. */
async function* metered(charge: Asked['charge']): AsyncGenerator<string> {
  for (let part = 1; charge(40n); part++) yield `data: ${part}\n\n`;
}
