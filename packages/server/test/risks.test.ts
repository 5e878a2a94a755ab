import { deferred } from '@avm402/core/deferred';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FacilitatorPool } from '../src/facilitator/facilitator-pool.ts';
import type { Claims } from '../src/redemption/claims.ts';
import type { Redemption } from '../src/redemption/redemption.ts';
import type { RedemptionStore } from '../src/redemption/redemption-store.ts';
import { MemoryRiskStore } from '../src/redemption/stores/memory-risk-store.ts';
import { risksOf } from '../src/risk/risks.ts';

const network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe';
const bounds = { perPayment: 10n, perPayer: 100n, total: 100n, lossPerHour: 100n };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const NOW = 1_000_000_000;
const risk = (txId: string, since = 0) => ({ txId, payer: 'P', network, amount: 1n, since }) as const;

/** What a seller's risks need, where no facilitator has heard of any payment. */
const idle = {
  claims: {} as Claims,
  pool: { settlement: async () => undefined } as unknown as FacilitatorPool,
  report: () => undefined,
  settleTimeoutMs: 1,
  now: () => NOW,
  monotonicNow: () => 0,
};

/** The payments that stay at risk where no facilitator has heard of any. */
async function leftAtRisk(taken: readonly ReturnType<typeof risk>[], get: RedemptionStore['get']) {
  const risks = new MemoryRiskStore();
  for (const one of taken) await risks.take(one, bounds);
  const of = risksOf(
    {},
    {
      ...idle,
      store: { get, risks } as unknown as RedemptionStore,
    },
  );
  expect(of).toBeDefined();
  await vi.advanceTimersByTimeAsync(1_000);
  return (await risks.open()).map(({ txId }) => txId);
}

it('a payment whose row can’t be read leaves no other one at risk', async () => {
  const get = async (txId: string) => (txId === 'DAMAGED' ? Promise.reject(new Error('not JSON')) : undefined);
  expect(await leftAtRisk([risk('DAMAGED'), risk('UNANSWERED')], get)).toEqual(['DAMAGED']);
});

it('a payment is not left at risk because the clock was set back since', async () => {
  const taken = [risk('YOUNG', NOW - 1_000), risk('OF_ANOTHER_CLOCK', NOW + 86_400_000)];
  expect(await leftAtRisk(taken, async () => undefined)).toEqual(['YOUNG']);
});

it('a payment that is taken while a look finds nothing at risk is looked at by the next', async () => {
  const found = deferred<[]>();
  const open = vi.fn(() => found.promise);
  const store = { risks: { open, take: async () => true } } as unknown as RedemptionStore;
  const of = risksOf({}, { ...idle, store });
  await vi.advanceTimersByTimeAsync(1_000);
  await of?.take({ txId: 'TAKEN', payer: 'P', requirements: { network } } as unknown as Redemption, 1n);
  found.resolve([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(open).toHaveBeenCalledTimes(2);
});
