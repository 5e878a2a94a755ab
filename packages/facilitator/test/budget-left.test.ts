import { assert, asyncProperty, bigInt, constantFrom, integer, oneof, record, array, constant } from 'fast-check';
import { expect, it } from 'vitest';
import { ALGORAND_TESTNET } from '@avm402/core/network';
import { memorySettlementStore } from '../src/stores/memory.ts';
import { sqliteSettlementStore } from '../src/stores/sqlite.ts';
import { settlement } from './settlement-store-contract.ts';

const us = { owner: 'us', leaseMs: 60_000 };
const someone = constantFrom('A', 'B');
const scope = oneof(
  record({ payer: someone }),
  record({ terms: constantFrom('listed' as const, 'anyone' as const) }),
  record({ terms: constantFrom('listed' as const, 'anyone' as const), payTo: someone }),
);
const budget = record({ scope, microAlgos: bigInt(0n, 30_000n), window: integer({ min: 0, max: 100 }) });
const step = oneof(
  record({
    do: constant('record' as const),
    payer: someone,
    payTo: someone,
    terms: constantFrom('listed' as const, 'anyone' as const),
    budget,
  }),
  record({
    do: constantFrom('submitted' as const, 'rejected' as const, 'expired' as const),
    of: integer({ min: 0, max: 30 }),
  }),
  record({ do: constant('pass' as const), ms: integer({ min: -20, max: 40 }) }),
  record({ do: constant('ask' as const), budget, upTo: bigInt(0n, 10_000n) }),
);

it('what is left of a budget is the same in SQLite, which remembers bounds, as where all rows are summed', async () => {
  await assert(
    asyncProperty(array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      let clock = 1_000;
      const now = (): number => clock;
      const stores = [memorySettlementStore({ now }), sqliteSettlementStore({ path: ':memory:', now })];
      for (const store of stores) await store.open();
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
              const { payer, payTo, terms } = one;
              const { window, ...asked } = one.budget;
              const row = settlement(`T${rows}`, { payer, payTo, terms, sponsoredFee: 2_000n });
              const { outcome } = await store.record(row, { ...us, budgets: [{ ...asked, since: clock - window }] });
              return outcome;
            }
            const to = one.do === 'rejected' ? { to: one.do, reason: 'settlement_rejected' as const } : { to: one.do };
            return store.change(`T${one.of}`, us.owner, to);
          }),
        );
        if (one.do === 'record') rows++;
        expect(answers[1]).toEqual(answers[0]);
      }
      for (const store of stores) await store.close();
    }),
    { numRuns: 150 },
  );
});
