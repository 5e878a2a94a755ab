import {
  assert,
  asyncProperty,
  bigInt,
  boolean,
  constantFrom,
  integer,
  oneof,
  record,
  array,
  constant,
} from 'fast-check';
import { expect, it } from 'vitest';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import type { SettlementStore } from '../../src/index.ts';
import { SpentBudgets } from './spent-budgets.ts';
import { settlement } from './settlement-store-contract.ts';

const us = { owner: 'us', leaseMs: 60_000 };
const someone = constantFrom('A', 'B');
const scope = oneof(
  constant({}),
  record({ payer: someone }),
  record({ advance: boolean() }),
  record({ payer: someone, advance: boolean() }),
  record({ terms: constantFrom('listed' as const, 'anyone' as const) }),
  record({ terms: constantFrom('listed' as const, 'anyone' as const), payTo: someone, advance: boolean() }),
);
const budget = record({ scope, microAlgos: bigInt(0n, 30_000n), window: integer({ min: 0, max: 100 }) });
const step = oneof(
  record({
    do: constant('record' as const),
    payer: someone,
    payTo: someone,
    terms: constantFrom('listed' as const, 'anyone' as const),
    advance: boolean(),
    budget,
  }),
  record({
    do: constantFrom(
      'submitted' as const,
      'rejected' as const,
      'withdrawn' as const,
      'expired' as const,
      'confirmed' as const,
    ),
    of: integer({ min: 0, max: 8 }),
  }),
  record({ do: constant('pass' as const), ms: integer({ min: -20, max: 40 }) }),
  record({ do: constant('ask' as const), budget, upTo: bigInt(0n, 10_000n) }),
);

const transitions = {
  submitted: { to: 'submitted' },
  rejected: { to: 'rejected', reason: 'settlement_rejected' },
  withdrawn: { to: 'rejected', reason: 'settlement_rejected', isPassedOn: true },
  expired: { to: 'expired' },
  confirmed: { to: 'confirmed', confirmedRound: 150n },
} as const;

/** What every store must know of budgets that does not sum all rows each time. `create` makes an empty one. */
export function describeBudgets(
  name: string,
  create: (now: () => number) => Promise<SettlementStore>,
  { numRuns }: { readonly numRuns: number },
): void {
  it(`what is left of a budget is the same in ${name}, which remembers bounds, as where all rows are summed`, async () => {
    await assert(
      asyncProperty(array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        let clock = 1_000;
        const now = (): number => clock;
        const remembering = await create(now);
        await remembering.open();
        const stores = [new SpentBudgets(now), remembering];
        let rows = 0;
        for (const one of steps) {
          if (one.do === 'pass') clock += one.ms;
          const answers = await Promise.all(
            stores.map(async (store) => {
              if (one.do === 'pass') return undefined;
              if (one.do === 'ask') {
                const { window, ...asked } = one.budget;
                return store.budgetLeft(ALGORAND_TESTNET, { ...asked, since: clock - window }, one.upTo);
              }
              if (one.do === 'record') {
                const { payer, payTo, terms, advance } = one;
                const { window, ...asked } = one.budget;
                const row = settlement(`T${rows}`, { payer, payTo, terms, advance, sponsoredFee: 2_000n });
                const { outcome } = await store.record(row, { ...us, budgets: [{ ...asked, since: clock - window }] });
                return outcome;
              }
              return store.change(`T${one.of}`, us.owner, transitions[one.do]);
            }),
          );
          if (one.do === 'record') rows++;
          expect(answers[1]).toEqual(answers[0]);
        }
        await remembering.close();
      }),
      { numRuns },
    );
  });

  it(`what was refused after a node may have passed it on is spent in ${name} until it is expired`, async () => {
    const store = await create(Date.now);
    await store.open();
    const asked = { scope: { payer: 'PAYER' }, microAlgos: 3_000n, since: 0 };
    await store.record(settlement('T', { terms: 'anyone', sponsoredFee: 2_000n }), us);
    for (const taken of [transitions.submitted, transitions.withdrawn]) await store.change('T', us.owner, taken);
    expect(await store.budgetLeft(ALGORAND_TESTNET, asked, 2_000n)).toBe(1_000n);
    await store.change('T', us.owner, transitions.expired);
    expect(await store.budgetLeft(ALGORAND_TESTNET, asked, 2_000n)).toBe(2_000n);
    await store.close();
  });

  it(`what was refused, and is confirmed after all, is spent in ${name}, though the budget was asked about in between`, async () => {
    const store = await create(Date.now);
    await store.open();
    const asked = { scope: { payer: 'PAYER' }, microAlgos: 3_000n, since: 0 };
    await store.record(settlement('T', { terms: 'anyone', sponsoredFee: 2_000n }), us);
    for (const taken of [transitions.submitted, transitions.rejected]) await store.change('T', us.owner, taken);
    expect(await store.budgetLeft(ALGORAND_TESTNET, asked, 2_000n)).toBe(2_000n);
    await store.change('T', us.owner, transitions.confirmed);
    expect(await store.budgetLeft(ALGORAND_TESTNET, asked, 2_000n)).toBe(1_000n);
    await store.close();
  });
}
