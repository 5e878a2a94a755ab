import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { SpendTotals, type Spent } from '../src/budget/spend-totals.ts';
import { Timeline } from '../src/budget/timeline.ts';
import type { SentPayment } from '../src/journal/sent-payment.ts';

const moments = fc.integer({ min: 0, max: 50 });
const amounts = fc.bigInt({ min: 1n, max: 1000n });
const origins = fc.constantFrom('https://one.example', 'https://other.example');
const assets = fc.constantFrom('10458941', '7');

const spentOf = (change: Partial<Spent> = {}): Spent => ({
  spent: { network: ALGORAND_TESTNET, asset: '7', amount: 10n },
  origin: 'https://one.example',
  ...change,
});
const sum = (numbers: readonly bigint[]): bigint => numbers.reduce((total, one) => total + one, 0n);
const total = (
  totals: SpendTotals,
  { asset = '7', since = 0, origin }: { asset?: string; since?: number; origin?: string | undefined },
): bigint => sum([...totals.sums(since, origin)].filter((one) => one.asset === asset).map(({ amount }) => amount));
const payment = { txId: 'TXID' } as SentPayment;

describe('a timeline', () => {
  it('knows the sum since any moment that is not forgotten, in whatever order the amounts came', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ moment: moments, amount: amounts })),
        moments,
        moments,
        (added, since, forgotten) => {
          const timeline = new Timeline();
          for (const { moment, amount } of added) timeline.add(moment, amount);
          const expected = sum(added.filter(({ moment }) => moment >= since).map(({ amount }) => amount));
          expect(timeline.since(since)).toBe(expected);
          timeline.forget(Math.min(forgotten, since));
          expect(timeline.since(since)).toBe(expected);
        },
      ),
    );
  });

  it('is empty once everything in it is forgotten', () => {
    const timeline = new Timeline();
    for (const moment of [1, 2, 3]) timeline.add(moment, 1n);
    timeline.forget(4);
    expect(timeline.isEmpty).toBe(true);
    expect(timeline.since(0)).toBe(0n);
  });
});

describe('spend totals', () => {
  const entries = fc.array(
    fc.record({
      asset: assets,
      amount: amounts,
      origin: origins,
      confirmedAt: fc.option(moments),
      removed: fc.boolean(),
    }),
  );

  it('totals what is open and what was confirmed since a moment, of each asset, at one origin or at all', () => {
    fc.assert(
      fc.property(entries, moments, assets, fc.option(origins, { nil: undefined }), (given, since, asset, origin) => {
        const totals = new SpendTotals();
        for (const { asset: of, amount, origin: at, confirmedAt, removed } of given) {
          const spent = spentOf({ spent: { network: ALGORAND_TESTNET, asset: of, amount }, origin: at });
          totals.add(spent);
          if (confirmedAt !== null) totals.confirm(spent, confirmedAt);
          if (removed) totals.remove(spent);
        }
        const counted = given.filter(
          (one) =>
            !one.removed &&
            one.asset === asset &&
            (origin === undefined || one.origin === origin) &&
            (one.confirmedAt === null || one.confirmedAt >= since),
        );
        const expected = sum(counted.map(({ amount }) => amount));
        expect(total(totals, { asset, since, origin })).toBe(expected);
        totals.forget(since);
        expect(total(totals, { asset, since, origin })).toBe(expected);
      }),
    );
  });

  it('finds a payment by its TxID until it is forgotten', () => {
    const totals = new SpendTotals();
    const spent = spentOf();
    totals.add(spent);
    totals.sent(spent, payment);
    expect([...totals.open()]).toEqual([payment]);
    totals.confirm(spent, 5);
    expect([...totals.open()]).toEqual([]);
    totals.forget(5);
    expect(totals.of('TXID')).toBe(spent);
    totals.forget(6);
    expect(totals.of('TXID')).toBeUndefined();
    expect(total(totals, {})).toBe(0n);
  });

  it('does not count again what was removed before its confirmation was known', () => {
    const totals = new SpendTotals();
    const spent = spentOf({ payment });
    totals.add(spent);
    totals.remove(spent);
    totals.confirm(spent, 5);
    expect(total(totals, {})).toBe(0n);
  });

  it('does not keep what was never counted', () => {
    const totals = new SpendTotals();
    totals.sent(spentOf(), payment);
    expect(totals.of('TXID')).toBeUndefined();
  });
});
