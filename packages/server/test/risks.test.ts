import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FacilitatorPool } from '../src/facilitator/facilitator-pool.ts';
import type { Claims } from '../src/redemption/claims.ts';
import type { RedemptionStore } from '../src/redemption/redemption-store.ts';
import { MemoryRiskStore } from '../src/redemption/stores/memory-risk-store.ts';
import { risksOf } from '../src/risk/risks.ts';

const network = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe';
const bounds = { perPayment: 10n, perPayer: 100n, total: 100n, lossPerHour: 100n };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

it('a payment whose row can’t be read leaves no other one at risk', async () => {
  const risks = new MemoryRiskStore();
  for (const txId of ['DAMAGED', 'UNANSWERED'])
    await risks.take({ txId, payer: 'P', network, amount: 1n, since: 0 }, bounds);
  const get = async (txId: string) => (txId === 'DAMAGED' ? Promise.reject(new Error('not JSON')) : undefined);
  const of = risksOf(
    {},
    {
      store: { get, risks } as unknown as RedemptionStore,
      claims: {} as Claims,
      // No facilitator has heard of any payment.
      pool: { settlement: async () => undefined } as unknown as FacilitatorPool,
      report: () => undefined,
      settleTimeoutMs: 1,
      now: () => 1_000_000,
      monotonicNow: () => 0,
    },
  );
  expect(of).toBeDefined();
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await risks.open()).map(({ txId }) => txId)).toEqual(['DAMAGED']);
});
