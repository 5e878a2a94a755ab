import { connect } from 'node:net';
import {
  createMemoryRedemptionStore,
  paymentMiddleware,
  type PaymentOptions,
  type RedemptionStore,
  type RouteConfig,
} from '@avm402/server';
import express, { type RequestHandler } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type Headers, paymentFor, reasonOf } from './buyer.ts';
import { type Market, openMarket } from '../market.ts';

const LEASE_MS = 30_000;
const LAST = 'the last line';
/** Too little for any response: none is kept. */
const nothingKept = { maxStoredBytes: 1, onEvent: () => undefined } satisfies PaymentOptions;

let market: Market;
beforeAll(async () => {
  market = await openMarket();
});
afterAll(() => market[Symbol.asyncDispose]());

async function open(route: Partial<RouteConfig>, handler: RequestHandler, options: PaymentOptions = {}) {
  const app = express();
  const routes = { 'GET /goods': { accepts: market.accepts, ...route } };
  app.use(paymentMiddleware(routes, market.resourceServer(), { ...nothingKept, ...options }));
  app.get('/goods', handler);
  return `${await market.open(app)}/goods`;
}

/** Reads an answer up to a text and resets the connection then; what was read. */
async function readAndReset(url: string, headers: Headers, until: string): Promise<string> {
  const { hostname, host, port, pathname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write([`GET ${pathname} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...lines, '', ''].join('\r\n'));
  let seen = '';
  for await (const data of socket) {
    seen += String(data);
    if (seen.includes(until)) break;
  }
  socket.resetAndDestroy();
  return seen;
}

describe('a buyer who resets the connection after the last byte, before the protocol says that it was the last', () => {
  it.each(['a handler that ends its answer then', 'a handler that gives up when its client leaves'])(
    'gets one complete answer for one charge from %s',
    async (kind) => {
      let runs = 0;
      const upfront = { accepts: { ...market.accepts, extra: { paymentFlow: 'upfront' } } };
      const url = await open(upfront, (_request, response) => {
        runs++;
        response.write(`the first line\n${LAST}`);
        if (kind.includes('ends')) response.once('close', () => setImmediate(() => response.end()));
        else response.once('close', () => response.destroy());
      });
      const payment = await paymentFor(market, url);
      const answers = [await readAndReset(url, payment, LAST)];
      for (const _time of [2, 3]) answers.push((await ask(url, payment)).text);
      expect(answers.filter((answer) => answer.includes(LAST))).toHaveLength(1);
      const again = await ask(url, payment);
      expect([again.status, reasonOf(again), again.receipt?.success, runs]).toEqual([
        402,
        'duplicate_payment',
        true,
        1,
      ]);
    },
    30_000,
  );

  it('has it made again where the handler had more to write', async () => {
    let runs = 0;
    const upfront = { accepts: { ...market.accepts, extra: { paymentFlow: 'upfront' } } };
    const url = await open(upfront, (_request, response) => {
      const run = ++runs;
      response.write('the first line\n');
      const rest = (): void => void response.end(LAST);
      if (run === 1) response.once('close', () => setImmediate(rest));
      else rest();
    });
    const payment = await paymentFor(market, url);
    await readAndReset(url, payment, 'the first line');
    const again = await ask(url, payment);
    expect([again.status, again.text, runs]).toEqual([200, `the first line\n${LAST}`, 2]);
  });
});

describe('two processes on one store', () => {
  const atShop = { Host: 'shop.example' };

  /** One of them stops as it is about to record that it was paid; the other one has the clocks that `options` say. */
  async function stoppedAndOther(options: PaymentOptions) {
    const store = createMemoryRedemptionStore();
    let [runs, goOn, stopped] = [0, (): void => undefined, (): void => undefined];
    const isStopped = new Promise<void>((resolve) => (stopped = resolve));
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const stopping: RedemptionStore = {
      get: (txId) => store.get(txId),
      getByPaymentId: (id) => store.getByPaymentId(id),
      put: async (next, previous) => {
        if (next.state === 'settled') {
          stopped();
          await gate;
        }
        return store.put(next, previous);
      },
      remove: (row) => store.remove(row),
    };
    const handler: RequestHandler = (_request, response) => void response.end(`goods of run ${++runs}`);
    const one = await open({}, handler, { store: stopping });
    const other = await open({}, handler, { store, ...options });
    const payment = { ...(await paymentFor(market, one, { headers: atShop })), ...atShop };
    const first = ask(one, payment);
    await isStopped;
    return { first, other, payment, goOn: () => goOn(), runs: () => runs };
  }

  it('let one complete answer go, whichever goes on', async () => {
    let passed = 0;
    // Each look at the clock is a lease later: the first one is taken for dead.
    const monotonicNow = (): number => (passed += LEASE_MS + 1);
    const { first, other, payment, goOn, runs } = await stoppedAndOther({ monotonicNow, maxWaitMs: 1_000_000 });
    const second = await ask(other, payment);
    expect([second.status, second.text]).toEqual([200, 'goods of run 2']);
    goOn();
    const late = await first;
    expect([late.status, reasonOf(late), runs()]).toEqual([503, 'settlement_pending', 2]);
    expect(late.text).not.toContain('goods');
  });

  it('are not made to take each other for dead by a step of the clock', async () => {
    const options = { now: () => Date.now() + LEASE_MS + 10_000, maxWaitMs: 300 };
    const { first, other, payment, goOn, runs } = await stoppedAndOther(options);
    const second = await ask(other, payment);
    expect([second.status, reasonOf(second)]).toEqual([503, 'settlement_pending']);
    goOn();
    expect([(await first).status, (await first).text, runs()]).toEqual([200, 'goods of run 1', 1]);
  });
});
