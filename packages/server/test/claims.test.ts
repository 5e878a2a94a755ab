import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMemoryRedemptionStore } from '../src/redemption/stores/memory-redemption-store.ts';
import type { Claim } from '../src/redemption/claim.ts';
import { Claims } from '../src/redemption/claims.ts';
import { LEASE_MS } from '../src/redemption/leases.ts';
import type { Presentation } from '../src/redemption/redemption.ts';

const buyer: Presentation = {
  txId: 'TX',
  payer: 'PAYER',
  groupDigest: 'd1',
  route: 'r1',
  paymentId: 'p1',
  fingerprint: 'f1',
};
const stranger: Presentation = { txId: 'TX', payer: 'PAYER', groupDigest: 'd1', route: 'r2' };
const requirements = {
  scheme: 'exact',
  network: 'algorand:x',
  asset: '1',
  amount: '1',
  payTo: 'M',
  maxTimeoutSeconds: 1,
  extra: {},
} as const;
const receipt = { success: true, transaction: 'TX', network: 'algorand:x' } as const;

/** Two processes on one store, each with its own clock. */
function processes() {
  const store = createMemoryRedemptionStore();
  const clocks = [0, 0];
  const [one, other] = [0, 1].map(
    (index) =>
      new Claims({ store, now: Date.now, monotonicNow: () => clocks[index] ?? 0, randomBytes, maxWaitMs: LEASE_MS }),
  );
  if (one === undefined || other === undefined) throw new Error('there are two');
  return { store, one, other, clocks };
}

async function claimed(claims: Claims): Promise<Claim> {
  const outcome = await claims.claim(buyer, { decision: 'free', requirements });
  if (outcome.decision !== 'claim') throw new Error(outcome.decision);
  return outcome.claim;
}

/** What a process that has taken a payment over for its buyer is at work on. */
async function takenOver({ other, clocks }: ReturnType<typeof processes>): Promise<Claim> {
  const looking = other.look(buyer);
  const ticking = setInterval(() => (clocks[1] = (clocks[1] ?? 0) + LEASE_MS / 4), 5);
  const seen = await looking.finally(() => clearInterval(ticking));
  if (seen.decision !== 'resume') throw new Error(seen.decision);
  return seen.claim;
}

it('a payment at work is read four times a second for all who wait for it, however many they are', async () => {
  const kept = createMemoryRedemptionStore();
  let reads = 0;
  const store = Object.assign(Object.create(kept) as typeof kept, {
    get: (txId: string) => (reads++, kept.get(txId)),
    put: kept.put.bind(kept),
  });
  const options = { now: Date.now, monotonicNow: () => performance.now(), randomBytes, maxWaitMs: 900 };
  const one = new Claims({ ...options, store: kept });
  const other = new Claims({ ...options, store });
  await claimed(one);
  const waiting = Array.from({ length: 200 }, () => other.look(stranger));
  const outcomes = await Promise.all(waiting);
  expect(new Set(outcomes.map(({ decision }) => decision))).toEqual(new Set(['pending']));
  // Each has read it once before.
  expect(reads - waiting.length).toBeLessThanOrEqual(10);
});

it('a claim that is on record, though its write has failed, keeps nobody waiting in its process', async () => {
  const kept = createMemoryRedemptionStore();
  let breaks = true;
  const put: typeof kept.put = async (...row) => {
    const outcome = await kept.put(...row);
    if (!breaks) return outcome;
    breaks = false;
    throw new Error('the connection broke');
  };
  const store = Object.assign(Object.create(kept) as typeof kept, { get: kept.get.bind(kept), put });
  const claims = new Claims({ store, now: Date.now, monotonicNow: () => 0, randomBytes, maxWaitMs: 0 });
  await expect(claimed(claims)).rejects.toMatchObject({ code: 'store_unavailable' });
  expect((await claims.look(buyer)).decision).toBe('free');
});

describe('a payment that was given back', () => {
  it('because settlement could not be asked for holds nobody to its old terms', async () => {
    const { one } = processes();
    const claim = await claimed(one);
    await claim.sending();
    await claim.unsent();
    for (const presented of [buyer, stranger]) {
      expect(await one.look(presented)).toMatchObject({ decision: 'free', known: { sent: false } });
      expect(await one.look(presented)).not.toHaveProperty('requirements');
    }
  });

  it('because settlement was refused keeps its receipt while its buyer tries again', async () => {
    const { one } = processes();
    const refusal = { ...receipt, success: false, errorReason: 'invalid_exact_avm_insufficient_balance' };
    const claim = await claimed(one);
    await claim.sending();
    await claim.released(refusal);
    const seen = await one.look(buyer);
    if (seen.decision !== 'free') throw new Error(seen.decision);
    expect(await one.claim(buyer, { requirements, ...seen })).toMatchObject({
      decision: 'claim',
      claim: { redemption: { receipt: refusal, runs: 2 } },
    });
  });

  it('with nothing submitted leaves nothing behind, and those who waited with other bytes go on', async () => {
    const { one, store } = processes();
    const claim = await claimed(one);
    await claim.sendingUnrun();
    const same = one.look(stranger);
    const other = one.look({ ...stranger, groupDigest: 'd2' });
    await claim.unsent();
    expect(await same).toMatchObject({ decision: 'duplicate' });
    expect(await other).toEqual({ decision: 'free' });
    expect(await store.get('TX')).toBeUndefined();
  });

  it('after it was refused holds its buyer to what was asked for', async () => {
    const { one } = processes();
    const claim = await claimed(one);
    await claim.sending();
    await claim.released({
      success: false,
      errorReason: 'settlement_rejected',
      transaction: 'TX',
      network: 'algorand:x',
    });
    expect(await one.look(buyer)).toMatchObject({ decision: 'free', requirements });
    expect(await one.look(stranger)).toMatchObject({ decision: 'duplicate' });
    expect(await one.look({ ...buyer, route: 'r2' })).toMatchObject({ decision: 'duplicate' });
  });

  it('is not taken by whoever has seen it before it was claimed anew', async () => {
    const { one, store } = processes();
    const first = await claimed(one);
    const old = first.redemption;
    await first.released();
    expect(await store.get('TX')).toBeUndefined();
    const second = await claimed(one);
    expect(await store.put({ ...old, version: old.version + 1 }, old)).toBe('outdated');
    expect(await second.sending()).toBe(true);
    second.abandon();
  });
});

describe('a claim', () => {
  it('that was taken over is lost, and says so', async () => {
    const both = processes();
    const claim = await claimed(both.one);
    await claim.sending();
    const next = await takenOver(both);
    expect([await claim.paid(receipt), claim.lost.aborted]).toEqual([false, true]);
    expect([await next.paid(receipt), next.lost.aborted]).toEqual([true, false]);
    next.abandon();
  });

  it('is not lost when somebody else records what became of its payment', async () => {
    const { one, other } = processes();
    const claim = await claimed(one);
    await claim.sending();
    await other.resolve(claim.redemption, receipt);
    expect([await claim.settled(receipt), claim.lost.aborted]).toEqual([true, false]);
  });

  it('is at work as long as it renews its row, by the clock of whoever looks', async () => {
    const { one, other, clocks } = processes();
    const claim = await claimed(one);
    const isAtWork = (passed: number): boolean => {
      clocks[1] = (clocks[1] ?? 0) + passed;
      return other.isAtWork(claim.redemption);
    };
    expect([isAtWork(1_000_000), isAtWork(LEASE_MS - 1)]).toEqual([true, true]);
    await claim.sending();
    expect([isAtWork(LEASE_MS), isAtWork(LEASE_MS - 1), isAtWork(1)]).toEqual([true, true, false]);
    claim.abandon();
  });

  it('that this process has ended is known to be dead at once', async () => {
    const { one } = processes();
    const claim = await claimed(one);
    await claim.sending();
    claim.abandon();
    const seen = await one.look(buyer);
    expect(seen.decision).toBe('resume');
    if (seen.decision === 'resume') seen.claim.abandon();
  });
});
