import { encodeBase64 } from '@avm402/algorand/base64';
import { x402Facilitator } from '@x402/core/facilitator';
import { describe, expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { Harness, KEY, settle, withChanges } from './harness.ts';
import { modelPayment } from './model-payment.ts';
import { sponsorship } from './model-sponsor.ts';

const h = new Harness();

async function microtasks(count: number): Promise<void> {
  for (let done = 0; done < count; done++) await Promise.resolve();
}

describe('a facilitator', () => {
  it('that can’t start watches no round afterwards, however often it is tried', async () => {
    // Nobody knows a USDC there, and none is named.
    Object.assign(h.chain, {
      genesis: { genesisId: 'ours-v1', genesisHash: encodeBase64(new Uint8Array(32).fill(7)) },
    });
    const facilitator = h.create({ sponsorship });
    for (let trial = 0; trial < 3; trial++) {
      await expect(facilitator.start()).rejects.toMatchObject({ code: 'environment_invalid' });
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(h.chain.waiters.size).toBe(0);
  });

  it('that can’t start is started by one caller at a time, even if they come in the moment in which it fails', async () => {
    let openings = 0;
    let most = 0;
    const store = withChanges(h.store, {
      async open() {
        most = Math.max(most, ++openings);
        await microtasks(10);
        openings--;
        throw new Error('the disk is full');
      },
    });
    const facilitator = h.create({ store });
    const delays = [0, ...Array.from({ length: 40 }, (_, index) => 40 - index)];
    const calls = delays.map(async (delay) => {
      await microtasks(delay);
      await facilitator.start();
    });
    for (const call of await Promise.allSettled(calls)) expect(call.status).toBe('rejected');
    expect(most).toBe(1);
  });

  it('that is closed while it starts does nothing any more', async () => {
    const looks = { closed: 0, running: 0 };
    const looking = (which: keyof typeof looks) =>
      withChanges(h.store, {
        takeOver(options) {
          looks[which]++;
          return h.store.takeOver(options);
        },
      });
    const facilitator = h.create({ store: looking('closed'), leaseMs: 30 });
    const starting = facilitator.start();
    await facilitator.close();
    await starting;
    const { closed } = looks;
    expect(h.chain.waiters.size).toBe(0);
    // One that began later has looked several times.
    const running = h.create({ store: looking('running'), leaseMs: 30 });
    await running.start();
    await eventually(() => looks.running > 4);
    expect(looks.closed).toBe(closed);
  });

  it('that is closed calls no payment refused, and does not start again: every call fails as trouble of its own', async () => {
    const store = withChanges(h.store, { open: () => Promise.reject(new Error('the disk is full')) });
    const [closed, neverStarted] = [h.create(), h.create({ store })];
    await closed.start();
    await expect(neverStarted.start()).rejects.toMatchObject({ code: 'store_unavailable' });
    const { txId, payload, requirements } = modelPayment(h.chain);
    for (const facilitator of [closed, neverStarted]) {
      await facilitator.close();
      const calls = [
        facilitator.start(),
        facilitator.verify(payload, requirements),
        facilitator.settle(payload, requirements),
        facilitator.getSupported(),
        facilitator.settlement(txId),
        facilitator.readiness(),
      ];
      const expected = { status: 'rejected', reason: { code: 'shutting_down' } };
      expect(await Promise.allSettled(calls)).toMatchObject(calls.map(() => expected));
    }
  });

  it('that is closed refuses no payment that is being verified', async () => {
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    h.node.hold = (method) => (method === 'simulate' ? held : undefined);
    const facilitator = h.create();
    const answer = settle(facilitator, modelPayment(h.chain), KEY);
    await eventually(() => h.calls('simulate') === 1);
    await facilitator.close();
    goOn();
    await expect(answer).rejects.toMatchObject({ code: 'shutting_down' });
  });

  it('that is closed leaves a payment that is being recorded to the next one', async () => {
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const store = withChanges(h.store, {
      async record(settlement, options) {
        const recorded = await h.store.record(settlement, options);
        await held;
        return recorded;
      },
    });
    const facilitator = h.create({ store });
    const payment = modelPayment(h.chain);
    const answer = settle(facilitator, payment, KEY);
    await eventually(async () => (await h.store.find(payment.txId)) !== undefined);
    await facilitator.close();
    goOn();
    expect(await answer).toMatchObject({ errorReason: 'settlement_pending', transaction: payment.txId });
    expect(h.calls('sendRawTransaction')).toBe(0);
  });

  it('that is closed calls no payment invalid in a stock facilitator either', async () => {
    const facilitator = h.create();
    await facilitator.start();
    const stock = new x402Facilitator().register([...facilitator.networks], facilitator.scheme);
    await facilitator.close();
    const { payload, requirements } = modelPayment(h.chain);
    await expect(stock.verify(payload, requirements)).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
