import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { PaymentJournal, SentPayment } from '@avm402/client';
import { cents, HOUR, memoryJournal, MINUTE, ModelChain, spend, spendingOn } from './model-chain.ts';

describe('what counts against a budget', () => {
  it('a payment that is being made, until it is given up', () => {
    const spending = spendingOn(new ModelChain(), { perHour: '$0.05' });
    const reservation = spending.reserve(cents(5), 'https://a.example');
    expect(spending.whyNot(cents(1), 'https://a.example')?.reason).toBe(
      'the spending of this hour would come to $0.06, above the limit of $0.05',
    );
    expect(() => spending.reserve(cents(1), 'https://a.example')).toThrow(
      expect.objectContaining({ code: 'spend_limit_exceeded' }),
    );
    reservation.release();
    expect(spending.whyNot(cents(5), 'https://a.example')).toBeUndefined();
  });

  it('a confirmed payment, for as long as the budget looks back', async () => {
    const chain = new ModelChain();
    const spending = spendingOn(chain, { perHour: '$0.05', perDay: '$0.08' });
    const first = await spend(spending, chain, cents(5));
    if (first) chain.confirm(first);
    await spending.reconcile();
    chain.pass(HOUR - 5_000);
    expect(spending.whyNot(cents(1), 'https://a.example')?.reason).toContain('this hour');
    chain.pass(10_000);
    expect(spending.whyNot(cents(3), 'https://a.example')).toBeUndefined();
    expect(spending.whyNot(cents(4), 'https://a.example')?.reason).toContain('24 hours');
    chain.pass(24 * HOUR);
    expect(spending.whyNot(cents(5), 'https://a.example')).toBeUndefined();
  });

  it('a payment whose outcome is open, however old it is', async () => {
    const chain = new ModelChain();
    const spending = spendingOn(chain, { perHour: '$0.05' });
    await spend(spending, chain, cents(5));
    chain.isDown = true;
    chain.pass(30 * 24 * HOUR);
    await spending.reconcile();
    expect(spending.whyNot(cents(1), 'https://a.example')).toBeDefined();
    chain.isDown = false;
    await spending.reconcile();
    expect(spending.whyNot(cents(5), 'https://a.example')).toBeUndefined();
  });

  it('a payment of which the own node has forgotten the blocks, for as long as the budget looks back from then', async () => {
    const chain = new ModelChain();
    const journal = memoryJournal();
    const spending = spendingOn(chain, { perDay: '$0.01' }, journal);
    await spend(spending, chain, cents(1));
    chain.pass(HOUR);
    chain.forgotten = chain.round;
    await spending.reconcile();
    chain.pass(24 * HOUR);
    const next = spendingOn(chain, { perDay: '$0.01' }, journal.reopened());
    await next.load();
    for (const one of [spending, next]) expect(one.whyNot(cents(1), 'https://a.example')).toBeDefined();
    chain.pass(1);
    for (const one of [spending, next]) expect(one.whyNot(cents(1), 'https://a.example')).toBeUndefined();
  });

  it('from when the payment left at the earliest, even if the clock of the chain is behind', async () => {
    const chain = new ModelChain();
    const spending = spendingOn(chain, { perHour: '$0.05' });
    const payment = await spend(spending, chain, cents(5));
    chain.now -= 2 * HOUR;
    if (payment) chain.confirm(payment);
    chain.now += 2 * HOUR;
    await spending.reconcile();
    expect(spending.whyNot(cents(1), 'https://a.example')).toBeDefined();
  });

  it('for as long as the budget looks back from the last moment at which its block can have been made', async () => {
    const chain = new ModelChain();
    const spending = spendingOn(chain, { perHour: '$0.05' });
    const payment = await spend(spending, chain, cents(5));
    // Late in a second of which the block tells only the beginning.
    chain.pass(10_900);
    if (payment) chain.confirm(payment);
    await spending.reconcile();
    chain.pass(HOUR - 100);
    expect(spending.whyNot(cents(1), 'https://a.example')).toBeDefined();
    chain.pass(1_100);
    expect(spending.whyNot(cents(5), 'https://a.example')).toBeUndefined();
  });

  it('a payment that expired, no more', async () => {
    const chain = new ModelChain();
    const journal = memoryJournal();
    const spending = spendingOn(chain, { perHour: '$0.05' }, journal);
    await spend(spending, chain, cents(5));
    chain.pass(2 * MINUTE);
    await spending.reconcile();
    expect(spending.whyNot(cents(5), 'https://a.example')).toBeUndefined();
    expect(journal.entries.map(({ event }) => event)).toEqual(['sent', 'expired']);
  });

  it('each origin by itself', async () => {
    const chain = new ModelChain();
    const spending = spendingOn(chain, { perOrigin: '$0.05' });
    await spend(spending, chain, cents(5), 'https://a.example');
    expect(spending.whyNot(cents(1), 'https://a.example')?.reason).toContain('at https://a.example in 24 hours');
    expect(spending.whyNot(cents(5), 'https://b.example')).toBeUndefined();
  });

  it('each asset without a dollar price by itself, in its own units', async () => {
    const chain = new ModelChain();
    const tokens = (amount: bigint) => ({ network: ALGORAND_TESTNET, asset: '7', amount });
    const assets = [{ network: ALGORAND_TESTNET, asset: '7', limits: { perPayment: 10n, perDay: 15n } }];
    const spending = spendingOn(chain, { assets });
    await spend(spending, chain, tokens(10n));
    expect(spending.whyNot(tokens(6n), 'https://a.example')?.reason).toContain('16 atomic units');
    expect(spending.whyNot(tokens(5n), 'https://a.example')).toBeUndefined();
  });
});

describe('with a journal', () => {
  it('budgets survive the process', async () => {
    const chain = new ModelChain();
    const journal = memoryJournal();
    const before = spendingOn(chain, { perDay: '$0.10' }, journal);
    const [confirmed, expired] = [await spend(before, chain, cents(5)), await spend(before, chain, cents(5))];
    if (confirmed) chain.confirm(confirmed);
    expect(expired).toBeDefined();
    chain.pass(2 * MINUTE);

    const after = spendingOn(chain, { perDay: '$0.10' }, journal.reopened());
    await after.load();
    expect(after.whyNot(cents(1), 'https://a.example')).toBeDefined();
    await after.reconcile();
    expect(after.whyNot(cents(5), 'https://a.example')).toBeUndefined();
    expect(after.whyNot(cents(6), 'https://a.example')).toBeDefined();

    const later = spendingOn(chain, { perDay: '$0.10' }, journal.reopened());
    chain.isDown = true;
    await later.load();
    expect(later.whyNot(cents(5), 'https://a.example')).toBeUndefined();
    expect(later.whyNot(cents(6), 'https://a.example')).toBeDefined();
  });

  it.each([{ perDay: '$0.10' }, { perOrigin: '$0.10' }])(
    'what was confirmed hours ago counts against a budget of a day, also for the next process (%o)',
    async (limits) => {
      const chain = new ModelChain();
      const journal = memoryJournal();
      const before = spendingOn(chain, limits, journal);
      const payment = await spend(before, chain, cents(10));
      if (payment) chain.confirm(payment);
      chain.pass(2 * HOUR);
      await before.reconcile();
      const after = spendingOn(chain, limits, journal.reopened());
      await after.load();
      for (const spending of [before, after]) {
        await spending.reconcile();
        expect(spending.whyNot(cents(1), 'https://a.example')).toBeDefined();
      }
      chain.pass(22 * HOUR + MINUTE);
      for (const spending of [before, after]) expect(spending.whyNot(cents(10), 'https://a.example')).toBeUndefined();
    },
  );

  it('those who pay with different assets know of what the others spent, each in its own unit', async () => {
    const chain = new ModelChain();
    const journal = memoryJournal();
    const sevens = (amount: bigint) => ({ network: ALGORAND_TESTNET, asset: '7', amount });
    const assets = [{ network: ALGORAND_TESTNET, asset: '7', limits: { perPayment: 10n, perDay: 15n } }];
    const inTokens = spendingOn(chain, { assets }, journal);
    const inDollars = spendingOn(chain, { perDay: '$0.10' }, journal.reopened());
    await spend(inTokens, chain, sevens(10n));
    await spend(inDollars, chain, cents(10));
    // Whoever reads the journal first may not be allowed either asset.
    const shared = journal.reopened();
    const none = spendingOn(chain, { assets: [] }, shared);
    const [inSevens, inUsdc] = [spendingOn(chain, { assets }, shared), spendingOn(chain, { perDay: '$0.10' }, shared)];
    for (const one of [none, inSevens, inUsdc]) await one.load();
    expect(inSevens.whyNot(sevens(6n), 'https://a.example')).toBeDefined();
    expect(inSevens.whyNot(sevens(5n), 'https://a.example')).toBeUndefined();
    expect(inUsdc.whyNot(cents(1), 'https://a.example')).toBeDefined();
    // Sevens have no price in dollars: they are none to whoever does not pay with them.
    const roomy = spendingOn(chain, { perDay: '$0.100009' }, shared);
    expect(roomy.whyNot({ ...cents(0), amount: 9n }, 'https://a.example')).toBeUndefined();
  });

  it('two that share a journal share its budgets, also what is being made', async () => {
    const chain = new ModelChain();
    const journal = memoryJournal();
    const [one, other] = [0, 1].map(() => spendingOn(chain, { perDay: '$0.10' }, journal));
    await Promise.all([one?.load(), other?.load()]);
    if (one) await spend(one, chain, cents(5));
    const reservation = one?.reserve(cents(2), 'https://a.example');
    expect(other?.whyNot(cents(4), 'https://b.example')?.reason).toContain('would come to $0.11');
    expect(other?.whyNot(cents(3), 'https://b.example')).toBeUndefined();
    reservation?.release();
    expect(other?.whyNot(cents(5), 'https://b.example')).toBeUndefined();
  });

  it('says in the end what became of each payment, budget or not', async () => {
    const chain = new ModelChain();
    const journal = memoryJournal();
    const before = spendingOn(chain, {}, journal);
    const [first, second] = [await spend(before, chain, cents(5)), await spend(before, chain, cents(5))];
    if (first) chain.confirm(first);
    chain.pass(2 * MINUTE);
    const after = spendingOn(chain, {}, journal.reopened());
    await after.load();
    await after.reconcile();
    expect(journal.entries.slice(2)).toMatchObject([
      { event: 'confirmed', txId: first?.txId, round: 101n },
      { event: 'expired', txId: second?.txId },
    ]);
  });

  it('a payment is recorded before it leaves, and nothing leaves that can’t be recorded', async () => {
    const chain = new ModelChain();
    const broken: PaymentJournal = {
      read: () => Promise.resolve([]),
      append: () => Promise.reject(new Error('disk full')),
    };
    await expect(spend(spendingOn(chain, {}, broken), chain, cents(1))).rejects.toThrow('disk full');
  });

  it('a journal that can’t be read now is read again later', async () => {
    const chain = new ModelChain();
    let isBroken = true;
    const journal: PaymentJournal = {
      read: () => (isBroken ? Promise.reject(new Error('no')) : Promise.resolve([])),
      append: () => Promise.resolve(),
    };
    const spending = spendingOn(chain, { perDay: '$1' }, journal);
    await expect(spending.load()).rejects.toThrow('no');
    isBroken = false;
    await expect(spending.load()).resolves.toBeUndefined();
  });
});

/** What happens next: somebody pays, a payment is confirmed, time passes, the node goes away or forgets, the process starts anew. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('pay' as const), cents: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('confirm' as const), which: fc.nat(20) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass' as const), minutes: fc.integer({ min: 0, max: 90 }) }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'reconcile' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'node' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'forget' as const }) },
);

it('whatever happens, no 60 minutes on chain hold more than the budget of an hour', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const chain = new ModelChain();
      const journal = memoryJournal();
      const limits = { perHour: '$0.10' };
      let spending = spendingOn(chain, limits, journal);
      const left: SentPayment[] = [];
      for (const next of steps) {
        if (next.kind === 'pass') chain.pass(next.minutes * MINUTE);
        if (next.kind === 'node') chain.isDown = !chain.isDown;
        if (next.kind === 'forget') chain.forgotten = chain.round;
        if (next.kind === 'reconcile') await spending.reconcile();
        const chosen = next.kind === 'confirm' ? left[next.which % Math.max(1, left.length)] : undefined;
        if (chosen) chain.confirm(chosen);
        if (next.kind === 'restart') {
          spending = spendingOn(chain, limits, journal.reopened());
          await spending.load();
        }
        if (next.kind === 'pay') {
          const payment = await spend(spending, chain, cents(next.cents));
          if (payment) left.push(payment);
        }
      }
      const debits = left.flatMap(({ txId, amount }) => {
        const at = chain.confirmed.get(txId)?.at;
        return at === undefined ? [] : [{ at, amount }];
      });
      for (const { at: start } of debits) {
        const within = debits.filter(({ at }) => at >= start && at < start + HOUR);
        expect(within.reduce((sum, { amount }) => sum + amount, 0n)).toBeLessThanOrEqual(100_000n);
      }
    }),
    { numRuns: 150 },
  ));
