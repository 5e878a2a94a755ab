import { createAlgodClient } from '@avm402/algorand/algod';
import type { PaymentPayload } from '@x402/core/types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createFacilitator,
  createFacilitatorApp,
  type Facilitator,
  createMemorySettlementStore,
  type Readiness,
} from '../../src/index.ts';
import { silentLog } from '../../src/log/log.ts';
import { type AlgodProxy, startAlgodProxy } from '../algod-proxy.ts';
import { DevnodeHarness } from '../devnode-harness.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY, settle, withChanges } from '../harness.ts';
import { modelPayment } from '../model-payment.ts';

/** A facilitator over HTTP, and what it answers. */
async function serve(facilitator: Facilitator) {
  const app = createFacilitatorApp(facilitator);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const ready = async (): Promise<{ code: number; answer: Readiness }> => {
    const response = await fetch(`${url}/ready`);
    return { code: response.status, answer: (await response.json()) as Readiness };
  };
  return {
    ready,
    problems: async () => (await ready()).answer.problems.map(({ code }) => code),
    health: async () => (await fetch(`${url}/health`)).status,
    verify: async (paymentPayload: PaymentPayload) => {
      const body = JSON.stringify({ paymentPayload, paymentRequirements: paymentPayload.accepted });
      return fetch(`${url}/verify`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    },
    [Symbol.asyncDispose]: async () => app.close(),
  };
}

describe('on an embedded node', () => {
  let h: DevnodeHarness;
  let clock = Date.now();
  const warnings: { message: string; facts: object }[] = [];

  beforeEach(async () => {
    clock = Date.now();
    warnings.length = 0;
    const note = (facts: object, message: string): void => void warnings.push({ message, facts });
    const log = { ...silentLog, warn: note };
    h = await DevnodeHarness.start({ facilitator: { now: () => clock, leaseMs: 150, log } });
  });

  afterEach(() => h.stop());

  /** Leaves the sponsor that many µAlgo above its minimum balance. */
  async function leave(microAlgos: bigint): Promise<void> {
    const account = h.account('facilitator');
    const { amount, minBalance } = await h.algod.account(account.address);
    const receiver = h.account('merchant').address;
    const fee = 1000n;
    const spent = amount - minBalance - fee - microAlgos;
    await h.send(account, {
      ...(await h.header()),
      fee,
      type: 'pay',
      sender: account.address,
      receiver,
      amount: spent,
    });
    clock += 10_000;
  }

  it('is ready, and says of which network, how many nodes, and how many payments the sponsor has left', async () => {
    await using served = await serve(h.facilitator);
    await eventually(async () => (await served.ready()).answer.networks[0]?.sponsors[0]?.paymentsLeft !== undefined);
    const { amount, minBalance } = await h.algod.account(h.account('facilitator').address);
    expect(await served.ready()).toEqual({
      code: 200,
      answer: {
        status: 'ready',
        problems: [],
        networks: [
          {
            network: h.network,
            round: Number(h.devnode.latestRound),
            secondsSinceRound: 0,
            nodes: { total: 1, connected: 1, behind: 0 },
            sponsors: [
              {
                address: h.account('facilitator').address,
                offered: true,
                microAlgos: String(amount - minBalance),
                paymentsLeft: Number((amount - minBalance) / 2000n),
              },
            ],
          },
        ],
        store: { writable: true },
        settlements: { pending: 0, oldestPendingSeconds: 0, refused: 0 },
      },
    });
  });

  it('is degraded when its sponsor has few payments left, not ready when it has none, and ready when it is refilled', async () => {
    await using served = await serve(h.facilitator);
    await leave(1_999_999n);
    await eventually(async () => (await served.problems()).includes('sponsor_low'));
    expect(await served.ready()).toMatchObject({ code: 200, answer: { status: 'degraded' } });
    const payload = await h.pay();
    expect((await served.verify(payload)).status).toBe(200);
    await leave(0n);
    await eventually(async () => (await served.problems()).includes('sponsor_empty'));
    expect(await served.ready()).toMatchObject({ code: 503, answer: { status: 'not_ready' } });
    expect(await served.health()).toBe(200);
    const answer = await served.verify(await h.pay());
    expect([answer.status, await answer.json()]).toMatchObject([503, { error: 'sponsor_unfunded' }]);
    const low = warnings.filter(({ message }) => message.startsWith('the sponsor has few payments left'));
    expect(low).toMatchObject([{ facts: { feePayer: h.account('facilitator').address, paymentsLeft: 999 } }]);
    await h.devnode.fund(h.account('facilitator').address, 100_000_000n);
    clock += 10_000;
    await eventually(async () => (await served.ready()).answer.status === 'ready');
    expect((await served.verify(await h.pay())).status).toBe(200);
  });
});

describe('settlements that wait', () => {
  it('degrade it when the oldest has waited for more than a minute', async () => {
    let clock = Date.now();
    const h = await DevnodeHarness.start({
      node: { blocks: 'manual' },
      facilitator: { now: () => clock, store: createMemorySettlementStore({ now: () => clock }), settleTimeoutMs: 50 },
    });
    await using served = await serve(h.facilitator);
    const pending = await h.facilitator.settle(await h.pay(), h.requirements(), { idempotencyKey: KEY });
    expect(pending).toMatchObject({ errorReason: 'settlement_pending' });
    clock += 59_999;
    const settlements = { pending: 1, oldestPendingSeconds: 59, refused: 0 };
    expect(await served.ready()).toMatchObject({ code: 200, answer: { status: 'ready', settlements } });
    clock += 1;
    expect(await served.ready()).toMatchObject({ code: 200, answer: { status: 'degraded' } });
    expect(await served.problems()).toEqual(['pending_old']);
    await h.devnode.mine();
    await eventually(async () => (await served.ready()).answer.settlements.pending === 0);
    expect((await served.ready()).answer.status).toBe('ready');
    await h.stop();
  });
});

describe('the nodes', () => {
  let proxy: AlgodProxy;
  let h: DevnodeHarness;

  beforeEach(async () => {
    h = await DevnodeHarness.start();
    proxy = await startAlgodProxy(h.devnode.url);
  });

  afterEach(async () => {
    await h.stop();
    await proxy.stop();
  });

  const through = (): ReturnType<typeof createAlgodClient> =>
    createAlgodClient({ url: proxy.url, token: h.devnode.token });

  it('degrade it when one is missing, and it is not ready without any, though it is alive', async () => {
    const facilitator = createFacilitator({
      networks: [{ algods: [h.algod, through()] }],
      store: createMemorySettlementStore(),
      leaseMs: 150,
    });
    await facilitator.start();
    await using served = await serve(facilitator);
    expect((await served.ready()).answer.status).toBe('ready');
    proxy.fate = () => ({ answer: 502 });
    await eventually(async () => (await served.problems()).includes('nodes_missing'));
    expect((await served.ready()).code).toBe(200);
    await h.devnode.stop();
    await eventually(async () => (await served.problems()).includes('no_node'));
    expect((await served.ready()).code).toBe(503);
    expect(await served.health()).toBe(200);
    await facilitator.close();
  });
});

describe('what no embedded node shows', () => {
  const h = new Harness();

  it('a network whose rounds are late degrades it, one whose rounds stopped makes it not ready', async () => {
    let clock = Date.now();
    const facilitator = h.create({ now: () => clock });
    await using served = await serve(facilitator);
    await facilitator.start();
    clock += 29_999;
    expect((await served.ready()).answer.status).toBe('ready');
    clock += 1;
    expect([await served.problems(), (await served.ready()).code]).toEqual([['rounds_late'], 200]);
    clock += 90_000;
    expect([await served.problems(), (await served.ready()).code]).toEqual([['rounds_stopped'], 503]);
    h.chain.mine();
    await eventually(async () => (await served.ready()).answer.status === 'ready');
  });

  it('a store that takes no writes makes it not ready', async () => {
    const store = withChanges(h.store, { checkWritable: () => Promise.reject(new Error('the disk is full')) });
    await using served = await serve(h.create({ store }));
    const { code, answer } = await served.ready();
    expect([code, answer]).toMatchObject([
      503,
      { store: { writable: false }, problems: [{ code: 'store_not_writable' }] },
    ]);
  });

  it('the store is written to once a second to find that out, however many ask and however slow it is', async () => {
    let clock = Date.now();
    let writes = 0;
    let answer = (): void => {};
    const checkWritable = async (): Promise<void> => {
      writes += 1;
      await new Promise<void>((resolve) => (answer = resolve));
    };
    const facilitator = h.create({ store: withChanges(h.store, { checkWritable }), now: () => clock });
    await using served = await serve(facilitator);
    const waiting = Promise.all(Array.from({ length: 50 }, () => served.ready()));
    await eventually(() => writes > 0);
    clock += 5_000;
    const late = facilitator.readiness();
    answer();
    await Promise.all([waiting, late]);
    clock += 999;
    await served.ready();
    expect(writes).toBe(1);
    clock += 1;
    const again = served.ready();
    await eventually(() => writes === 2);
    answer();
    await again;
  });

  it('a payment that a node refused is counted apart: nobody waits for it', async () => {
    const facilitator = h.create();
    const payment = modelPayment(h.chain);
    await facilitator.verify(payment.payload, payment.requirements);
    h.chain.broke.add(payment.payer.address);
    expect(await settle(facilitator, payment, KEY)).toMatchObject({ success: false });
    expect((await facilitator.readiness()).settlements).toEqual({ pending: 0, oldestPendingSeconds: 0, refused: 1 });
  });
});
