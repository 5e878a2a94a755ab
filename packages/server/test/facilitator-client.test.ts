import { createServer, type IncomingMessage } from 'node:http';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { type FacilitatorClient, HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { createMemoryRedemptionStore, type PaymentEvent, paymentMiddleware } from '../src/index.ts';
import { pay, sponsor, withPayment, txIdOf } from './support/payments.ts';
import {
  afterwards,
  eventually,
  facilitator,
  listen,
  offerAt,
  offerIn,
  openShop,
  receiptIn,
  resources,
  route,
} from './support/shop.ts';

const quiet = { onEvent: () => undefined };

/** Sells a report; its URL. */
async function openApp(server: x402ResourceServer, options = {}): Promise<string> {
  const app = express().set('env', 'test');
  app.use(paymentMiddleware({ 'GET /report': route }, server, { ...quiet, ...options }));
  app.get('/report', (_request, response) => void response.send('data'));
  return `${await listen(app)}/report`;
}

/** A shop that asks this client, and buying from it. */
async function shopWith(client: FacilitatorClient, options = {}) {
  const url = await openApp(new x402ResourceServer(client).register('algorand:*', new ExactAvmServer()), options);
  return { url, buy: async () => fetch(url, { headers: withPayment(pay(await offerAt(url))) }) };
}

/** Sends a request on, and returns the body of its answer. */
async function passOn(request: IncomingMessage, url: string): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const headers = { 'idempotency-key': String(request.headers['idempotency-key'] ?? '') };
  const method = request.method ?? 'GET';
  const answer = await fetch(url + request.url, { method, headers, ...(method === 'POST' && { body }) });
  return answer.text();
}

describe('a facilitator at a URL', () => {
  it('is asked over connections that are kept', async () => {
    const stub = await facilitator();
    let connections = 0;
    const proxy = createServer((request, response) => {
      void passOn(request, stub.url).then((answer) => response.end(answer));
    });
    proxy.on('connection', () => connections++);
    proxy.listen(0, '127.0.0.1');
    afterwards(async () => {
      proxy.closeAllConnections();
      proxy.close();
    });
    await new Promise((resolve) => proxy.once('listening', resolve));
    const address = proxy.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const { buy } = await shopWith(new HTTPFacilitatorClient({ url }));
    for (let count = 0; count < 5; count++) expect((await buy()).status).toBe(200);
    expect(connections).toBe(1);
  });

  it('that has closed an idle connection is asked again, once', async () => {
    const stub = await facilitator();
    const { buy } = await shopWith(new HTTPFacilitatorClient({ url: stub.url }));
    expect((await buy()).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 20));
    stub.closeIdle();
    expect((await buy()).status).toBe(200);
  });

  it('gets the headers of createAuthHeaders for each operation, and a key for settle', async () => {
    const stub = await facilitator();
    const { buy } = await shopWith(
      new HTTPFacilitatorClient({
        url: `${stub.url}/`,
        createAuthHeaders: async () => ({
          verify: { authorization: 'V' },
          settle: { authorization: 'S' },
          supported: {},
        }),
      }),
    );
    await buy();
    expect(
      stub.calls.map(({ path, headers }) => [path, headers.authorization, typeof headers['idempotency-key']]),
    ).toEqual([
      ['/verify', 'V', 'undefined'],
      ['/settle', 'S', 'string'],
    ]);
  });

  it('is asked to settle exactly what it has verified', async () => {
    const stub = await facilitator();
    const { buy } = await shopWith(new HTTPFacilitatorClient({ url: stub.url }));
    await buy();
    await buy();
    const [verified, settled] = [stub.verifies(), stub.settles()].map((calls) => calls.map(({ body }) => body));
    expect(settled).toHaveLength(2);
    expect(settled).toEqual(verified);
  });

  it('that does not answer in time is given up: 503, nothing runs', async () => {
    const shop = await openShop({ verifyTimeoutMs: 100 });
    shop.stub.onVerify = () => 'hang';
    const url = `${shop.url}/report`;
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([response.status, await response.json()]).toMatchObject([503, { error: 'facilitator_unreachable' }]);
    expect(shop.runs()).toBe(0);
  });

  it('that asks for patience has it passed on', async () => {
    const shop = await openShop();
    shop.stub.onVerify = () => ({ status: 429, body: {}, headers: { 'retry-after': '17' } });
    const url = `${shop.url}/report`;
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '17']);
  });

  it('that asks many for patience is not taken for one that is down: whoever comes next is served', async () => {
    const shop = await openShop();
    const url = `${shop.url}/report`;
    let refusals = 10;
    shop.stub.onVerify = () =>
      refusals-- > 0 ? { status: 429, body: {}, headers: { 'retry-after': '1' } } : undefined;
    const statuses: number[] = [];
    for (let buyer = 0; buyer < 11; buyer++)
      statuses.push((await fetch(url, { headers: withPayment(pay(await offerAt(url))) })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 503), 200]);
  });

  it.each([
    ['no JSON', { body: 'oops' }],
    ['another shape', { body: { valid: 'yes' } }],
    ['a redirect', { status: 307, headers: { location: '/elsewhere' }, body: {} }],
    ['not allowed', { status: 401, body: { error: 'who are you' } }],
    ['too much', { body: { isValid: true, extra: { x: 'x'.repeat(1_100_000) } } }],
  ])('that answers %s is no verdict: 503, nothing runs, nothing of it leaves', async (_what, answer) => {
    const shop = await openShop();
    shop.stub.onVerify = () => answer;
    const url = `${shop.url}/report`;
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    const text = await response.text();
    expect([response.status, shop.runs()]).toEqual([503, 0]);
    expect(text).toContain('facilitator_bad_answer');
    expect(text).not.toMatch(/oops|who are you/);
  });

  it('that refuses with an error status is heard all the same', async () => {
    const shop = await openShop();
    shop.stub.onVerify = () => ({
      status: 400,
      body: { isValid: false, invalidReason: 'invalid_exact_avm_amount_mismatch' },
    });
    const url = `${shop.url}/report`;
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([response.status, offerIn(response).error]).toEqual([402, 'invalid_exact_avm_amount_mismatch']);
  });

  it('that settles with an answer that is none leaves the outcome unknown, until it is asked again', async () => {
    const shop = await openShop({ settleTimeoutMs: 1000 });
    let asked = 0;
    shop.stub.onSettle = () => (asked++ === 0 ? { body: { ok: true } } : undefined);
    const url = `${shop.url}/report`;
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([response.status, asked, shop.runs()]).toEqual([200, 2, 1]);
  });

  it('may list kinds of x402 v1, whose networks have other names', async () => {
    const stub = await facilitator();
    const kinds = [
      { x402Version: 1, scheme: 'exact', network: 'base-sepolia' },
      { x402Version: 2, scheme: 'exact', network: ALGORAND_TESTNET, extra: { feePayer: sponsor } },
    ];
    stub.onSupported = () => ({ body: { kinds, extensions: [], signers: {} } });
    const { buy } = await shopWith(new HTTPFacilitatorClient({ url: stub.url }));
    expect((await buy()).status).toBe(200);
  });

  it('without a record of its answers is not believed when it says "failed" of what it may have submitted', async () => {
    const shop = await openShop({ stub: await facilitator({ storeId: '' }), settleTimeoutMs: 150 });
    shop.stub.onSettle = ({ txId, body }) => ({
      body: {
        success: false,
        errorReason: 'invalid_exact_avm_confirmation_failed',
        transaction: txId,
        network: body.paymentRequirements['network'],
      },
    });
    const url = `${shop.url}/report`;
    const response = await fetch(url, { headers: withPayment(pay(await offerAt(url))) });
    expect([response.status, receiptIn(response)?.errorReason]).toEqual([503, 'settlement_pending']);
  });
});

describe('a facilitator client of the app’s own', () => {
  const own = (overrides: Partial<FacilitatorClient> = {}): FacilitatorClient => ({
    getSupported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact', network: ALGORAND_TESTNET, extra: { feePayer: sponsor } }],
      extensions: [],
      signers: {},
    }),
    verify: async () => ({ isValid: true, payer: 'PAYER' }),
    settle: async (payload, { network }) => ({ success: true, transaction: txIdOf(payload), network }),
    ...overrides,
  });

  it('is called as it is', async () => {
    const { buy } = await shopWith(own());
    const response = await buy();
    expect([response.status, receiptIn(response)?.success]).toEqual([200, true]);
  });

  it('that throws is one that can’t be reached', async () => {
    const { buy } = await shopWith(own({ verify: () => Promise.reject(new Error('broken')) }));
    expect((await buy()).status).toBe(503);
  });

  it('that never answers is given up', async () => {
    const { buy } = await shopWith(own({ verify: () => new Promise(() => undefined) }), { verifyTimeoutMs: 50 });
    expect((await buy()).status).toBe(503);
  });

  it('as a subclass of the stock client keeps its own methods', async () => {
    const stub = await facilitator();
    class Counting extends HTTPFacilitatorClient {
      verified = 0;
      override async verify(...args: Parameters<FacilitatorClient['verify']>) {
        this.verified++;
        return super.verify(...args);
      }
    }
    const client = new Counting({ url: stub.url });
    const { buy } = await shopWith(client);
    expect((await buy()).status).toBe(200);
    expect(client.verified).toBe(1);
  });

  it('is not found in an object that is no resource server', () => {
    const impostor = { getExtensions: () => [], getRegisteredScheme: () => undefined } as unknown as x402ResourceServer;
    expect(() => paymentMiddleware({ 'GET /report': route }, impostor)).toThrow(
      expect.objectContaining({ code: 'incompatible_resource_server' }),
    );
  });
});

describe('a facilitator with a replica', () => {
  /** Buys from a shop with two replicas, of which the first does not verify. */
  async function shopWithReplicas(options = {}) {
    const [one, two] = [await facilitator(), await facilitator()];
    const url = await openApp(resources(one, two), options);
    const offer = await offerAt(url);
    const buy = async () => fetch(url, { headers: withPayment(pay(offer)) });
    return { one, two, buy };
  }

  it('that keeps failing is not asked to settle either, while the other one answers', async () => {
    const { one, two, buy } = await shopWithReplicas();
    one.onVerify = () => 'cut';
    one.onSettle = () => 'cut';
    for (let count = 0; count < 8; count++) expect((await buy()).status).toBe(200);
    expect(one.settles().length).toBeLessThan(4);
    expect(two.settles()).toHaveLength(8);
  });

  it('is asked to settle though it keeps failing, when nobody else answers', async () => {
    const { one, two, buy } = await shopWithReplicas();
    one.onVerify = () => 'cut';
    for (let count = 0; count < 8; count++) expect((await buy()).status).toBe(200);
    two.onSettle = () => 'cut';
    const before = one.settles().length;
    expect((await buy()).status).toBe(200);
    expect(one.settles()).toHaveLength(before + 1);
  });

  it('may have settled before it failed: that the other one was not reached does not make it unsent', async () => {
    const { one, two, buy } = await shopWithReplicas({ settleTimeoutMs: 300 });
    one.onSettle = () => 'cut';
    two.onSettle = () => ({ status: 429, body: {} });
    const response = await buy();
    expect([response.status, receiptIn(response)?.errorReason]).toEqual([503, 'settlement_pending']);
  });

  it('leaves it time to verify when it hangs itself', async () => {
    const { one, two, buy } = await shopWithReplicas({ verifyTimeoutMs: 300 });
    one.onVerify = () => 'hang';
    expect((await buy()).status).toBe(200);
    expect([one.verifies().length, two.verifies().length]).toEqual([1, 1]);
  });

  it('that turns out later to have another store ends the sale: nothing is verified, nothing runs', async () => {
    const [one, two] = [await facilitator(), await facilitator({ storeId: 'another' })];
    two.onSupported = () => ({ status: 500, body: {} });
    let now = Date.now();
    const failures: unknown[] = [];
    const onEvent = ({ error }: PaymentEvent): void => void failures.push(error);
    const url = await openApp(resources(one, two), { now: () => now, onEvent });
    const headers = withPayment(pay(await offerAt(url)));
    two.onSupported = () => undefined;
    now += 2000;
    await eventually(async () => (await fetch(url)).status).toBe(500);
    expect((await fetch(url, { headers })).status).toBe(500);
    expect(failures).toContainEqual(expect.objectContaining({ message: expect.stringContaining(two.url) }));
    expect([one.calls.length, two.calls.length]).toEqual([0, 0]);
  });

  it('that turns out to have another store between verify and settle gives the payment back', async () => {
    const [one, two] = [await facilitator(), await facilitator({ storeId: 'another' })];
    two.onSupported = () => ({ status: 500, body: {} });
    let now = Date.now();
    const events: PaymentEvent[] = [];
    const url = await openApp(resources(one, two), {
      now: () => now,
      onEvent: (event: PaymentEvent) => events.push(event),
    });
    const headers = withPayment(pay(await offerAt(url)));
    one.onVerify = async () => {
      two.onSupported = () => undefined;
      now += 2000;
      // What is supported is asked again behind another request.
      await eventually(async () => (await fetch(url)).status).toBe(500);
      return undefined;
    };
    expect((await fetch(url, { headers })).status).toBeGreaterThanOrEqual(500);
    expect(events.map(({ type }) => type)).toContain('released');
    expect([one.settles().length, two.settles().length]).toEqual([0, 0]);
  });

  it('that turns out to have another store while settle is asked does not take the refusal away', async () => {
    const [one, two] = [await facilitator(), await facilitator({ storeId: 'another' })];
    two.onSupported = () => ({ status: 500, body: {} });
    let now = Date.now();
    const store = createMemoryRedemptionStore();
    const url = await openApp(resources(one, two), { now: () => now, store });
    const headers = withPayment(pay(await offerAt(url)));
    one.onSettle = async ({ txId }) => {
      two.onSupported = () => undefined;
      now += 2000;
      await eventually(async () => (await fetch(url)).status).toBe(500);
      return { body: { success: false, errorReason: 'settlement_failed', transaction: txId, network: '' } };
    };
    const response = await fetch(url, { headers });
    expect(receiptIn(response)?.errorReason).toBe('settlement_failed');
    const [{ txId } = { txId: '' }] = one.settles();
    expect(await store.get(txId)).toMatchObject({ state: 'released', receipt: { errorReason: 'settlement_failed' } });
  });

  it('whose own credentials can’t be had is passed over', async () => {
    const [one, two] = [await facilitator(), await facilitator()];
    let isLocked = false;
    const createAuthHeaders = async () => {
      if (isLocked) throw new Error('the vault is sealed');
      return { verify: {}, settle: {}, supported: {} };
    };
    const clients = [
      new HTTPFacilitatorClient({ url: one.url, createAuthHeaders }),
      new HTTPFacilitatorClient({ url: two.url }),
    ];
    const server = new x402ResourceServer(clients).register('algorand:*', new ExactAvmServer());
    const url = await openApp(server);
    const offer = await offerAt(url);
    isLocked = true;
    expect((await fetch(url, { headers: withPayment(pay(offer)) })).status).toBe(200);
    expect([one.calls.length, two.calls.length]).toEqual([0, 2]);
  });
});

describe('an answer that refuses the request', () => {
  it('shows that the facilitator is there: what one buyer sends keeps no other out', async () => {
    const stub = await facilitator();
    const { buy } = await shopWith(new HTTPFacilitatorClient({ url: stub.url }));
    stub.onVerify = () => ({ status: 400, body: { error: 'no request at all' } });
    for (let count = 0; count < 8; count++) expect((await buy()).status).toBe(503);
    stub.onVerify = () => undefined;
    expect((await buy()).status).toBe(200);
  });
});

describe('a listener that throws', () => {
  it('does not come between a payment and its response', async () => {
    const shop = await openShop({
      onEvent: () => {
        throw new Error('the log is full');
      },
    });
    const url = `${shop.url}/report`;
    expect((await fetch(url, { headers: withPayment(pay(await offerAt(url))) })).status).toBe(200);
  });
});
