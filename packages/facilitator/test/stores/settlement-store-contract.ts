import { ALGORAND_MAINNET, ALGORAND_TESTNET } from '@avm402/core/network';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BudgetScope, NewSettlement, SettlementState, SettlementStore, Transition } from '../../src/index.ts';
import { SETTLEMENT_STATES, TRANSITIONS } from '../../src/settlement/settlement.ts';

/** What every settlement store must do. `create` makes an empty one; `sleep` lets its leases run out. */
const PLENTY = 10n ** 15n;

export function describeSettlementStore(name: string, create: () => Promise<SettlementStore>): void {
  describe(`${name} as a settlement store`, () => {
    let store: SettlementStore;

    beforeEach(async () => {
      store = await create();
      await store.open();
    });

    afterEach(async () => {
      await store.close();
    });

    /** µAlgo spent of a budget that nothing exhausts. */
    const spent = async (scope: BudgetScope, network = ALGORAND_TESTNET, since = 0): Promise<bigint> =>
      PLENTY - (await store.budgetLeft(network, { scope, since, microAlgos: PLENTY }, PLENTY));

    const us = { owner: 'us', leaseMs: 60_000 };
    const them = { owner: 'them', leaseMs: 60_000 };

    it('has an id that stays, and that no other store has', async () => {
      const id = await store.id();
      expect(id).toMatch(/^[0-9a-f-]{32,36}$/);
      expect(await store.id()).toBe(id);
      const other = await create();
      await other.open();
      expect(await other.id()).not.toBe(id);
      await other.close();
    });

    it('records a settlement once and shows what was recorded', async () => {
      const first = await store.record(settlement('A'), us);
      const second = await store.record({ ...settlement('A'), payer: 'SOMEBODY ELSE' }, them);
      expect(first.outcome).toBe('recorded');
      expect(second.outcome).toBe('exists');
      const expected = { ...settlement('A'), state: 'recorded', delivered: false, owner: 'us' };
      expect(await store.find('A')).toMatchObject(expected);
      expect(second).toMatchObject({ settlement: expected });
      expect(await store.find('B')).toBeUndefined();
    });

    it('keeps every member of a settlement, whether or not it is optional', async () => {
      const { keyHash: _, feePayer: __, ...bare } = settlement('BARE');
      await store.record(bare, us);
      await store.record(settlement('FULL'), us);
      const [kept, full] = [await store.find('BARE'), await store.find('FULL')];
      expect(kept).toMatchObject(bare);
      expect(kept).not.toHaveProperty('keyHash');
      expect(kept).not.toHaveProperty('feePayer');
      expect(kept).not.toHaveProperty('reason');
      expect(full).toMatchObject(settlement('FULL'));
      expect(full?.group).toBeInstanceOf(Uint8Array);
      expect(Buffer.from(full?.group ?? [])).toEqual(Buffer.from(settlement('FULL').group));
    });

    it('lets exactly one of many concurrent calls record', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.record(settlement('A'), { ...us, owner: `replica ${index}` })),
      );
      expect(outcomes.filter(({ outcome }) => outcome === 'recorded')).toHaveLength(1);
      expect(outcomes.filter(({ outcome }) => outcome === 'exists')).toHaveLength(19);
    });

    it('moves a settlement through its states, and drops the group when the outcome is final', async () => {
      await store.record(settlement('A'), us);
      expect(await store.change('A', 'us', { to: 'submitted' })).toBe(true);
      expect(await store.find('A')).toMatchObject({ state: 'submitted' });
      expect(await store.change('A', 'us', { to: 'rejected', reason: 'invalid_exact_avm_insufficient_balance' })).toBe(
        true,
      );
      expect(await store.find('A')).toMatchObject({
        state: 'rejected',
        reason: 'invalid_exact_avm_insufficient_balance',
        group: expect.anything(),
      });
      expect(await store.change('A', 'us', { to: 'confirmed', confirmedRound: 77n })).toBe(true);
      const final = await store.find('A');
      expect(final).toMatchObject({ state: 'confirmed', confirmedRound: 77n });
      expect(final).not.toHaveProperty('group');
    });

    const steps: { readonly [To in Transition['to']]: Extract<Transition, { readonly to: To }> } = {
      submitted: { to: 'submitted' },
      rejected: { to: 'rejected', reason: 'settlement_rejected' },
      confirmed: { to: 'confirmed', confirmedRound: 77n },
      expired: { to: 'expired' },
      released: { to: 'released' },
    };
    /** By which steps a new row gets to each state. */
    const ways: Readonly<Record<SettlementState, readonly Transition['to'][]>> = {
      recorded: [],
      submitted: ['submitted'],
      rejected: ['submitted', 'rejected'],
      confirmed: ['submitted', 'confirmed'],
      expired: ['submitted', 'expired'],
    };

    it.each(SETTLEMENT_STATES.flatMap((state) => Object.values(steps).map((step) => [state, step.to, step] as const)))(
      'makes the step from %s to %s if the table of transitions has it, and only then',
      async (state, to, step) => {
        await store.record(settlement('A'), us);
        for (const before of ways[state]) await store.change('A', 'us', steps[before]);
        const from: readonly SettlementState[] = TRANSITIONS[to];
        const isAllowed = from.includes(state);
        expect(await store.change('A', 'us', step)).toBe(isAllowed);
        const after = to === 'released' ? undefined : to;
        expect((await store.find('A'))?.state).toBe(isAllowed ? after : state);
        expect(await store.deliver('A')).toBe(isAllowed ? to === 'confirmed' : state === 'confirmed');
      },
    );

    it('lets only the owner change a settlement', async () => {
      await store.record(settlement('A'), us);
      expect(await store.change('A', 'them', { to: 'submitted' })).toBe(false);
      await store.change('A', 'us', { to: 'submitted' });
      expect(await store.change('A', 'them', { to: 'confirmed', confirmedRound: 77n })).toBe(false);
      expect(await store.change('A', 'them', { to: 'expired' })).toBe(false);
      expect(await store.change('A', 'them', { to: 'rejected', reason: 'settlement_rejected' })).toBe(false);
      expect(await store.change('A', 'them', { to: 'released' })).toBe(false);
      expect(await store.find('A')).toMatchObject({ state: 'submitted', owner: 'us' });
    });

    it('forgets a released settlement, so that it can be recorded again', async () => {
      await store.record(settlement('A'), us);
      await store.change('A', 'us', { to: 'submitted' });
      expect(await store.change('A', 'us', { to: 'released' })).toBe(true);
      expect(await store.find('A')).toBeUndefined();
      expect(await store.record(settlement('A'), them)).toMatchObject({ outcome: 'recorded' });
    });

    it('hands out a confirmed settlement to one of many', async () => {
      await store.record(settlement('A'), us);
      await store.change('A', 'us', { to: 'submitted' });
      await store.change('A', 'us', { to: 'confirmed', confirmedRound: 77n });
      const handed = await Promise.all(Array.from({ length: 20 }, () => store.deliver('A')));
      expect(handed.filter(Boolean)).toHaveLength(1);
      expect(await store.find('A')).toMatchObject({ delivered: true });
    });

    it('gives unfinished settlements of others to an owner when their lease is over, and its own if it asks', async () => {
      const networks = [ALGORAND_TESTNET];
      await store.record(settlement('OURS'), us);
      await store.record(settlement('LEASED'), them);
      await store.record(settlement('ABANDONED'), { owner: 'them', leaseMs: 1 });
      await store.record(settlement('ELSEWHERE', { network: ALGORAND_MAINNET }), { owner: 'them', leaseMs: 1 });
      await store.record(settlement('DONE'), { owner: 'them', leaseMs: 1 });
      await store.change('DONE', 'them', { to: 'submitted' });
      await store.change('DONE', 'them', { to: 'confirmed', confirmedRound: 77n });
      await new Promise((resolve) => setTimeout(resolve, 20));
      const taken = await store.takeOver({ ...us, networks });
      expect(taken.map(({ txId }) => txId)).toEqual(['ABANDONED']);
      expect(taken.every(({ owner, group }) => owner === 'us' && group !== undefined)).toBe(true);
      expect(await store.takeOver({ ...us, networks })).toEqual([]);
      const own = await store.takeOver({ ...us, networks, withOwn: true });
      expect(own.map(({ txId }) => txId).sort()).toEqual(['ABANDONED', 'OURS']);
      expect(await store.change('ABANDONED', 'them', { to: 'submitted' })).toBe(false);
      expect(await store.change('ABANDONED', 'us', { to: 'submitted' })).toBe(true);
      expect(await store.takeOver({ owner: 'third', leaseMs: 1, networks })).toEqual([]);
    });

    it('leaves alone all settlements of an owner that renews its lease, however old they are', async () => {
      const networks = [ALGORAND_TESTNET];
      await store.record(settlement('A'), { owner: 'them', leaseMs: 1 });
      expect(await store.takeOver({ ...them, networks })).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await store.takeOver({ ...us, networks })).toEqual([]);
      await store.takeOver({ owner: 'them', leaseMs: 1, networks });
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await store.takeOver({ ...us, networks })).toMatchObject([{ txId: 'A', owner: 'us' }]);
    });

    it('gives an abandoned settlement to one of many', async () => {
      await store.record(settlement('A'), { owner: 'dead', leaseMs: 1 });
      await new Promise((resolve) => setTimeout(resolve, 20));
      const takers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          store.takeOver({ owner: `replica ${index}`, leaseMs: 60_000, networks: [ALGORAND_TESTNET] }),
        ),
      );
      expect(takers.flat()).toHaveLength(1);
    });

    it('writes a settlement with the highest round that anybody has seen', async () => {
      await store.raiseRound(ALGORAND_TESTNET, 120n);
      await store.raiseRound(ALGORAND_TESTNET, 90n);
      await store.raiseRound(ALGORAND_MAINNET, 999n);
      await store.record(settlement('A', { round: 100n }), us);
      expect(await store.find('A')).toMatchObject({ round: 120n });
      await store.record(settlement('B', { round: 130n }), us);
      await store.record(settlement('C', { round: 100n }), us);
      expect(await store.find('C')).toMatchObject({ round: 130n });
    });

    it('lowers the round of unfinished settlements with that of a network that went back', async () => {
      await store.record(settlement('OPEN', { round: 100n }), us);
      await store.record(settlement('LOW', { round: 100n }), us);
      await store.record(settlement('OTHER', { round: 500n, network: ALGORAND_MAINNET }), us);
      await store.record(settlement('DONE', { round: 100n }), us);
      await store.change('DONE', 'us', { to: 'submitted' });
      await store.change('DONE', 'us', { to: 'confirmed', confirmedRound: 101n });
      await store.lowerRound(ALGORAND_TESTNET, 7n);
      expect(await store.find('OPEN')).toMatchObject({ round: 7n });
      expect(await store.find('OTHER')).toMatchObject({ round: 500n });
      expect(await store.find('DONE')).toMatchObject({ round: 100n });
      await store.record(settlement('NEW', { round: 5n }), us);
      expect(await store.find('NEW')).toMatchObject({ round: 7n });
    });

    it('keeps to a budget, however many ask at once', async () => {
      const budgets = [{ scope: { terms: 'anyone' as const }, microAlgos: 10_000n, since: 0 }];
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.record(sponsored(`A${index}`), { ...us, budgets })),
      );
      expect(outcomes.filter(({ outcome }) => outcome === 'recorded')).toHaveLength(5);
      expect(outcomes.filter(({ outcome }) => outcome === 'over_budget')).toHaveLength(15);
      expect(await spent({ terms: 'anyone' })).toBe(10_000n);
      expect(await spent({ terms: 'anyone' }, ALGORAND_TESTNET, Date.now() + 60_000)).toBe(0n);
      expect(await store.record(sponsored('MORE'), { ...us, budgets })).toEqual({ outcome: 'over_budget' });
      expect(await store.record(sponsored('A'), us)).toMatchObject({ outcome: 'recorded' });
    });

    it('tells of a settlement that is recorded already, though the budget is spent', async () => {
      const budgets = [{ scope: { payer: 'PAYER' }, microAlgos: 2_000n, since: 0 }];
      expect(await store.record(sponsored('A'), { ...us, budgets })).toMatchObject({ outcome: 'recorded' });
      expect(await store.record(sponsored('A'), { ...us, budgets })).toMatchObject({ outcome: 'exists' });
    });

    it('keeps to a budget of the whole network, whoever is paid, by whom and under which terms', async () => {
      const budgets = [{ scope: {}, microAlgos: 4_000n, since: 0 }];
      const others = { terms: 'listed', payer: 'ANOTHER', payTo: 'SOMEBODY' } as const;
      expect(await store.record(sponsored('A'), { ...us, budgets })).toMatchObject({ outcome: 'recorded' });
      const elsewhere = settlement('E', { network: ALGORAND_MAINNET, terms: 'anyone', sponsoredFee: 2_000n });
      expect(await store.record(elsewhere, us)).toMatchObject({ outcome: 'recorded' });
      expect(await store.record({ ...sponsored('B'), ...others }, { ...us, budgets })).toMatchObject({
        outcome: 'recorded',
      });
      expect(await store.record(sponsored('C'), { ...us, budgets })).toEqual({ outcome: 'over_budget' });
    });

    it('keeps to the strictest of several budgets', async () => {
      const budgets = [
        { scope: { payer: 'PAYER' }, microAlgos: 10_000n, since: 0 },
        { scope: { terms: 'listed' as const, payTo: 'MERCHANT' }, microAlgos: 2_000n, since: 0 },
      ];
      const listed = (txId: string, changes = {}) => sponsored(txId, { terms: 'listed', ...changes });
      expect(await store.record(listed('A'), { ...us, budgets })).toMatchObject({ outcome: 'recorded' });
      expect(await store.record(listed('B'), { ...us, budgets })).toEqual({ outcome: 'over_budget' });
    });

    it('counts what is spent on each network, by each payer, on each seller and under each terms by itself', async () => {
      await store.record(sponsored('A'), us);
      await store.record(sponsored('B', { terms: 'listed', sponsoredFee: 3_000n }), us);
      await store.record(sponsored('C', { payer: 'ANOTHER', sponsoredFee: 5_000n }), us);
      await store.record(sponsored('D', { network: ALGORAND_MAINNET, sponsoredFee: 7_000n }), us);
      await store.record(sponsored('E', { terms: 'listed', payTo: 'ANOTHER', sponsoredFee: 11_000n }), us);
      await store.record(settlement('UNSPONSORED'), us);
      expect(await spent({ terms: 'anyone' })).toBe(7_000n);
      expect(await spent({ terms: 'listed', payTo: 'MERCHANT' })).toBe(3_000n);
      expect(await spent({ terms: 'listed', payTo: 'ANOTHER' })).toBe(11_000n);
      expect(await spent({ payer: 'PAYER' })).toBe(16_000n);
      expect(await spent({ payer: 'ANOTHER' })).toBe(5_000n);
      expect(await spent({ payer: 'PAYER' }, ALGORAND_MAINNET)).toBe(7_000n);
    });

    it('gives the budget back when a payment is refused, released or expired, and takes it if it is confirmed', async () => {
      for (const txId of ['EXPIRED', 'RELEASED', 'REFUSED', 'LATE']) await store.record(sponsored(txId), us);
      await store.change('RELEASED', 'us', { to: 'released' });
      for (const txId of ['EXPIRED', 'REFUSED', 'LATE']) await store.change(txId, 'us', { to: 'submitted' });
      expect(await spent({ payer: 'PAYER' })).toBe(6_000n);
      await store.change('EXPIRED', 'us', { to: 'expired' });
      for (const txId of ['REFUSED', 'LATE']) {
        await store.change(txId, 'us', { to: 'rejected', reason: 'invalid_exact_avm_insufficient_balance' });
      }
      expect(await spent({ payer: 'PAYER' })).toBe(0n);
      expect(await spent({ terms: 'anyone' })).toBe(0n);
      await store.change('LATE', 'us', { to: 'confirmed', confirmedRound: 101n });
      expect(await spent({ payer: 'PAYER' })).toBe(2_000n);
      expect(await spent({ terms: 'anyone' })).toBe(2_000n);
    });

    it('prunes final settlements that are old and past their window, a batch at a time', async () => {
      for (const txId of ['A', 'B', 'C', 'OPEN', 'LATE']) {
        await store.record(settlement(txId, { lastValid: txId === 'LATE' ? 995n : 200n }), us);
        await store.change(txId, 'us', { to: 'submitted' });
        if (txId !== 'OPEN') await store.change(txId, 'us', { to: 'confirmed', confirmedRound: 101n });
      }
      await store.raiseRound(ALGORAND_TESTNET, 1000n);
      expect(await store.prune({ before: 0, limit: 10 })).toBe(0);
      const before = Date.now() + 120_000;
      expect(await store.prune({ before, limit: 2 })).toBe(2);
      expect(await store.prune({ before, limit: 2 })).toBe(1);
      expect(await store.prune({ before, limit: 2 })).toBe(0);
      expect(await store.find('OPEN')).toBeDefined();
      expect(await store.find('LATE')).toBeDefined();
    });

    it('keeps a settlement whose outcome came late as long as one that had it at once', async () => {
      for (const txId of ['AT ONCE', 'LATE']) {
        await store.record(settlement(txId), us);
        await store.change(txId, 'us', { to: 'submitted' });
      }
      await store.raiseRound(ALGORAND_TESTNET, 1000n);
      await store.change('AT ONCE', 'us', { to: 'confirmed', confirmedRound: 101n });
      await new Promise((resolve) => setTimeout(resolve, 20));
      const before = Date.now();
      await new Promise((resolve) => setTimeout(resolve, 20));
      await store.change('LATE', 'us', { to: 'expired' });
      expect(await store.prune({ before, limit: 10 })).toBe(1);
      expect(await store.find('AT ONCE')).toBeUndefined();
      expect(await store.find('LATE')).toBeDefined();
      expect(await store.prune({ before: Date.now() + 90_000, limit: 10 })).toBe(1);
    });

    it('records one open payment for a lease of a payer, of many at once, and tells who holds it', async () => {
      const holder = { network: ALGORAND_TESTNET, payer: 'PAYER', lease: 'aa', round: 100n };
      const recorded = await Promise.all(
        ['A', 'B', 'C'].map((txId) => store.record(settlement(txId, { lease: 'aa' }), us)),
      );
      expect(recorded.map(({ outcome }) => outcome).toSorted()).toEqual(['lease_held', 'lease_held', 'recorded']);
      const won = (await store.leaseHolder(holder)) ?? '';
      expect(await store.find(won)).toMatchObject({ lease: 'aa' });
      expect(await store.record(settlement(won, { lease: 'aa' }), us)).toMatchObject({ outcome: 'exists' });
      const others: Partial<NewSettlement>[] = [{ lease: 'bb' }, { payer: 'OTHER' }, { network: ALGORAND_MAINNET }];
      for (const change of others) {
        const txId = JSON.stringify(change);
        expect(await store.record(settlement(txId, { lease: 'aa', ...change }), us)).toMatchObject({
          outcome: 'recorded',
        });
      }
    });

    it('lets go of a lease with the outcome of its payment, or the end of its window', async () => {
      const holder = { network: ALGORAND_TESTNET, payer: 'PAYER', lease: 'aa', round: 200n };
      for (const [txId, state] of [
        ['A', 'rejected'],
        ['B', 'confirmed'],
      ] as const) {
        expect(await store.record(settlement(txId, { lease: 'aa' }), us)).toMatchObject({ outcome: 'recorded' });
        await store.change(txId, 'us', { to: 'submitted' });
        expect(await store.leaseHolder(holder)).toBe(txId);
        expect(await store.leaseHolder({ ...holder, round: 201n })).toBeUndefined();
        const end = state === 'rejected' ? { reason: 'settlement_rejected' } : { confirmedRound: 150n };
        await store.change(txId, 'us', { to: state, ...end } as Transition);
        expect(await store.leaseHolder(holder)).toBeUndefined();
      }
    });

    it('takes the largest amounts and rounds there are', async () => {
      const large = settlement('A', { amount: 2n ** 64n - 1n, round: 2n ** 62n, lastValid: 2n ** 62n + 1n });
      await store.record(large, us);
      expect(await store.find('A')).toMatchObject({
        amount: 2n ** 64n - 1n,
        round: 2n ** 62n,
        lastValid: 2n ** 62n + 1n,
      });
    });
  });
}

/** A settlement that costs the sponsor the least fee, by default outside its list of sellers. */
function sponsored(txId: string, changes: Partial<NewSettlement> = {}): NewSettlement {
  return settlement(txId, { sponsoredFee: 2_000n, terms: 'anyone', ...changes });
}

export function settlement(txId: string, changes: Partial<NewSettlement> = {}): NewSettlement {
  return {
    txId,
    network: ALGORAND_TESTNET,
    round: 100n,
    firstValid: 95n,
    lastValid: 200n,
    payer: 'PAYER',
    signer: 'SIGNER',
    feePayer: 'SPONSOR',
    payTo: 'MERCHANT',
    asset: '10458941',
    amount: 10_000n,
    sponsoredFee: 0n,
    keyHash: 'aa'.repeat(32),
    advance: false,
    requirementsDigest: 'bb'.repeat(32),
    group: new Uint8Array([1, 2, 3, 0, 255]),
    ...changes,
  };
}
