import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Risk, RiskBounds, RiskStore } from '../src/index.ts';
import { NOW } from './redemption-store-contract.ts';

const HOUR_MS = 60 * 60_000;
const bounds: RiskBounds = { perPayment: 50n, perPayer: 100n, total: 300n, lossPerHour: 200n };

function risk(change: Partial<Risk> = {}): Risk {
  return { txId: 'TX1', payer: 'PAYER', network: 'algorand:x', amount: 10n, since: NOW, ...change };
}

/** What holds for every store of risks. `open` opens as many handles as asked for on one new store. */
export function describeRiskStore(name: string, open: (handles: number) => Promise<readonly RiskStore[]>): void {
  const one = async (): Promise<RiskStore> => (await open(1))[0] ?? Promise.reject(new Error('no store'));

  describe(`a store of risks ${name}`, () => {
    it('counts a payment until it is confirmed, given up or lost', async () => {
      const store = await one();
      expect(await store.take(risk(), bounds)).toBe(true);
      expect(await store.take(risk(), bounds)).toBe(false);
      expect(await store.open()).toEqual([risk()]);
      await store.confirmed(risk());
      expect(await store.open()).toEqual([]);
      expect(await store.take(risk({ txId: 'TX2' }), bounds)).toBe(true);
      await store.dropped('TX2');
      expect(await store.open()).toEqual([]);
    });

    it('is bounded for a payment, a payer and in total', async () => {
      const store = await one();
      const wide = { ...bounds, lossPerHour: 1_000n };
      const take = (txId: string, payer: string, amount: bigint) => store.take(risk({ txId, payer, amount }), wide);
      expect(await take('A1', 'A', 51n)).toBe(false);
      expect([await take('A1', 'A', 50n), await take('A2', 'A', 50n), await take('A3', 'A', 1n)]).toEqual([
        true,
        true,
        false,
      ]);
      for (const payer of ['B', 'C']) for (const txId of [`${payer}1`, `${payer}2`]) await take(txId, payer, 50n);
      expect(await take('D1', 'D', 1n)).toBe(false);
      await store.confirmed({ txId: 'B1', payer: 'B' });
      expect(await take('D1', 'D', 50n)).toBe(true);
    });

    it('tells one caller of a loss, and counts it for an hour, also where the clock is set back', async () => {
      const store = await one();
      await store.take(risk({ amount: 50n }), bounds);
      // A database may hear the second call first.
      const told = await Promise.all([store.lost('TX1', NOW), store.lost('TX1', NOW)]);
      expect(told.toSorted((first, second) => Number(first) - Number(second))).toEqual([false, true]);
      const take = (txId: string, since = NOW) => store.take(risk({ txId, payer: txId, amount: 50n, since }), bounds);
      expect([await take('A'), await take('B'), await take('C'), await take('D')]).toEqual([true, true, true, false]);
      for (const since of [NOW + HOUR_MS, NOW - HOUR_MS]) {
        expect(await take('D', since)).toBe(true);
        await store.dropped('D');
      }
    });

    it('trusts a payer with a loss only once a payment of its was confirmed', async () => {
      const store = await one();
      await store.take(risk(), bounds);
      await store.lost('TX1', NOW);
      expect(await store.take(risk({ txId: 'TX2', since: NOW + 10 * HOUR_MS }), bounds)).toBe(false);
      expect(await store.take(risk({ txId: 'TX3', payer: 'OTHER' }), bounds)).toBe(true);
      await store.confirmed({ txId: 'ANY', payer: 'PAYER' });
      expect(await store.take(risk({ txId: 'TX2' }), bounds)).toBe(true);
      await store.lost('TX2', NOW);
      expect(await store.take(risk({ txId: 'TX4' }), bounds)).toBe(false);
    });

    it('never has more at risk than its bounds, whatever happens over several handles at once', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(burst, { maxLength: 6 }), async (bursts) => {
          await holdsBounds(await open(3), bursts);
        }),
        { numRuns: 15 },
      );
    });
  });
}

/** What a handle is asked at the same time as the others. */
interface Call {
  readonly does: 'take' | 'confirm' | 'drop' | 'lose';
  readonly handle: number;
  readonly payer: number;
  readonly amount: bigint;
  /** Which of the open risks is meant. */
  readonly which: number;
}

const burst = fc.record({
  calls: fc.array(
    fc.record<Call>({
      does: fc.constantFrom('take', 'take', 'take', 'confirm', 'drop', 'lose'),
      handle: fc.nat(2),
      payer: fc.nat(5),
      amount: fc.bigInt({ min: 1n, max: 60n }),
      which: fc.nat(10),
    }),
    { maxLength: 24 },
  ),
  /** Milliseconds that pass before it. */
  pause: fc.nat(HOUR_MS),
});

/** Does everything of a burst at once, and compares what then is at risk, or lost within an hour, with the bounds. */
async function holdsBounds(
  handles: readonly RiskStore[],
  bursts: readonly { readonly calls: readonly Call[]; readonly pause: number }[],
): Promise<void> {
  let now = NOW;
  let made = 0;
  const losses: { readonly amount: bigint; readonly at: number }[] = [];
  for (const { calls, pause } of bursts) {
    now += pause;
    const open = (await handles[0]?.open()) ?? [];
    await Promise.all(
      calls.map(async ({ does, handle, payer, amount, which }) => {
        const store = handles[handle];
        if (does === 'take') {
          return store?.take(risk({ txId: `TX${made++}`, payer: `P${payer}`, amount, since: now }), bounds);
        }
        const meant = open[which];
        if (meant === undefined) return;
        if (does === 'confirm') return store?.confirmed(meant);
        if (does === 'drop') return store?.dropped(meant.txId);
        if (await store?.lost(meant.txId, now)) losses.push({ amount: meant.amount, at: now });
      }),
    );
    const left = (await handles[1]?.open()) ?? [];
    const total = sum(left);
    expect(total).toBeLessThanOrEqual(bounds.total);
    expect(left.every(({ amount }) => amount <= bounds.perPayment)).toBe(true);
    for (const { payer } of left) {
      expect(sum(left.filter((one) => one.payer === payer))).toBeLessThanOrEqual(bounds.perPayer);
    }
    // A clock that stands still within a burst: what is lost just now counts.
    expect(total + sum(losses.filter(({ at }) => at > now - HOUR_MS))).toBeLessThanOrEqual(bounds.lossPerHour);
  }
}

function sum(amounts: readonly { readonly amount: bigint }[]): bigint {
  return amounts.reduce((total, { amount }) => total + amount, 0n);
}
