import { ALGORAND_MAINNET, ALGORAND_TESTNET } from '@avm402/core/network';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewSettlement, SettlementStore } from '../src/index.ts';

/** What every settlement store must do. `create` makes an empty one; `sleep` lets its leases run out. */
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
      expect(await store.submit('A', 'us')).toBe(true);
      expect(await store.find('A')).toMatchObject({ state: 'submitted' });
      expect(await store.reject('A', 'us', 'invalid_exact_avm_insufficient_balance')).toBe(true);
      expect(await store.find('A')).toMatchObject({
        state: 'rejected',
        reason: 'invalid_exact_avm_insufficient_balance',
        group: expect.anything(),
      });
      expect(await store.confirm('A', 'us', 77n)).toBe(true);
      const final = await store.find('A');
      expect(final).toMatchObject({ state: 'confirmed', confirmedRound: 77n });
      expect(final).not.toHaveProperty('group');
    });

    it('refuses every step that does not follow from the state', async () => {
      await store.record(settlement('A'), us);
      expect(await store.reject('A', 'us', 'settlement_rejected')).toBe(false);
      expect(await store.confirm('A', 'us', 77n)).toBe(false);
      expect(await store.expire('A', 'us')).toBe(false);
      expect(await store.deliver('A')).toBe(false);
      await store.submit('A', 'us');
      expect(await store.submit('A', 'us')).toBe(false);
      await store.expire('A', 'us');
      for (const step of [
        store.submit('A', 'us'),
        store.reject('A', 'us', 'settlement_rejected'),
        store.confirm('A', 'us', 77n),
        store.expire('A', 'us'),
        store.release('A', 'us'),
        store.deliver('A'),
      ]) {
        expect(await step).toBe(false);
      }
      expect(await store.find('A')).toMatchObject({ state: 'expired' });
    });

    it('lets only the owner change a settlement', async () => {
      await store.record(settlement('A'), us);
      expect(await store.submit('A', 'them')).toBe(false);
      await store.submit('A', 'us');
      expect(await store.confirm('A', 'them', 77n)).toBe(false);
      expect(await store.expire('A', 'them')).toBe(false);
      expect(await store.reject('A', 'them', 'settlement_rejected')).toBe(false);
      expect(await store.release('A', 'them')).toBe(false);
      expect(await store.find('A')).toMatchObject({ state: 'submitted', owner: 'us' });
    });

    it('forgets a released settlement, so that it can be recorded again', async () => {
      await store.record(settlement('A'), us);
      await store.submit('A', 'us');
      expect(await store.release('A', 'us')).toBe(true);
      expect(await store.find('A')).toBeUndefined();
      expect(await store.record(settlement('A'), them)).toMatchObject({ outcome: 'recorded' });
    });

    it('hands out a confirmed settlement to one of many', async () => {
      await store.record(settlement('A'), us);
      await store.submit('A', 'us');
      await store.confirm('A', 'us', 77n);
      const handed = await Promise.all(Array.from({ length: 20 }, () => store.deliver('A')));
      expect(handed.filter(Boolean)).toHaveLength(1);
      expect(await store.find('A')).toMatchObject({ delivered: true });
    });

    it('gives unfinished settlements of an owner back to him, and those of others only when their lease is over', async () => {
      const networks = [ALGORAND_TESTNET];
      await store.record(settlement('OURS'), us);
      await store.record(settlement('LEASED'), them);
      await store.record(settlement('ABANDONED'), { owner: 'them', leaseMs: 1 });
      await store.record(settlement('ELSEWHERE', { network: ALGORAND_MAINNET }), { owner: 'them', leaseMs: 1 });
      await store.record(settlement('DONE'), { owner: 'them', leaseMs: 1 });
      await store.submit('DONE', 'them');
      await store.confirm('DONE', 'them', 77n);
      await new Promise((resolve) => setTimeout(resolve, 20));
      const taken = await store.takeOver({ ...us, networks });
      expect(taken.map(({ txId }) => txId).sort()).toEqual(['ABANDONED', 'OURS']);
      expect(taken.every(({ owner, group }) => owner === 'us' && group !== undefined)).toBe(true);
      expect(await store.submit('ABANDONED', 'them')).toBe(false);
      expect(await store.submit('ABANDONED', 'us')).toBe(true);
      expect(await store.takeOver({ owner: 'third', leaseMs: 1, networks })).toEqual([]);
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
      await store.submit('DONE', 'us');
      await store.confirm('DONE', 'us', 101n);
      await store.lowerRound(ALGORAND_TESTNET, 7n);
      expect(await store.find('OPEN')).toMatchObject({ round: 7n });
      expect(await store.find('OTHER')).toMatchObject({ round: 500n });
      expect(await store.find('DONE')).toMatchObject({ round: 100n });
      await store.record(settlement('NEW', { round: 5n }), us);
      expect(await store.find('NEW')).toMatchObject({ round: 7n });
    });

    it('keeps to the budget for anyone, however many ask at once', async () => {
      const budget = { microAlgos: 10_000n, since: 0 };
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          store.record(settlement(`A${index}`, { budgetedFee: 2_000n }), { ...us, budget }),
        ),
      );
      expect(outcomes.filter(({ outcome }) => outcome === 'recorded')).toHaveLength(5);
      expect(outcomes.filter(({ outcome }) => outcome === 'over_budget')).toHaveLength(15);
      expect(await store.budgetSpent(ALGORAND_TESTNET, 0)).toBe(10_000n);
      expect(await store.budgetSpent(ALGORAND_TESTNET, Date.now() + 60_000)).toBe(0n);
      expect(await store.record(settlement('LISTED'), { ...us, budget })).toMatchObject({ outcome: 'recorded' });
    });

    it('counts what is spent of the budget for anyone on each network by itself', async () => {
      const budget = { microAlgos: 10_000n, since: 0 };
      await store.record(settlement('FREE', { budgetedFee: 10_000n }), { ...us, budget });
      const elsewhere = settlement('DEAR', { budgetedFee: 2_000n, network: ALGORAND_MAINNET });
      expect(await store.record(elsewhere, { ...us, budget })).toMatchObject({ outcome: 'recorded' });
      expect(await store.budgetSpent(ALGORAND_TESTNET, 0)).toBe(10_000n);
      expect(await store.budgetSpent(ALGORAND_MAINNET, 0)).toBe(2_000n);
    });

    it('gives the budget back when a payment expired', async () => {
      await store.record(settlement('A', { budgetedFee: 2_000n }), us);
      await store.submit('A', 'us');
      await store.expire('A', 'us');
      expect(await store.budgetSpent(ALGORAND_TESTNET, 0)).toBe(0n);
    });

    it('prunes final settlements that are old and past their window, a batch at a time', async () => {
      for (const txId of ['A', 'B', 'C', 'OPEN', 'LATE']) {
        await store.record(settlement(txId, { lastValid: txId === 'LATE' ? 995n : 200n }), us);
        await store.submit(txId, 'us');
        if (txId !== 'OPEN') await store.confirm(txId, 'us', 101n);
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

    it('keeps a settlement that was worked on until late as long as one that was done at once', async () => {
      await store.record(settlement('AT ONCE'), { owner: 'us', leaseMs: 1 });
      await store.submit('AT ONCE', 'us');
      await store.confirm('AT ONCE', 'us', 101n);
      await store.record(settlement('LATE'), { owner: 'us', leaseMs: 1 });
      await store.takeOver({ owner: 'us', leaseMs: 60_000, networks: [ALGORAND_TESTNET] });
      await store.submit('LATE', 'us');
      await store.confirm('LATE', 'us', 101n);
      await store.raiseRound(ALGORAND_TESTNET, 1000n);
      expect(await store.prune({ before: Date.now() + 30_000, limit: 10 })).toBe(1);
      expect(await store.find('AT ONCE')).toBeUndefined();
      expect(await store.find('LATE')).toBeDefined();
      expect(await store.prune({ before: Date.now() + 90_000, limit: 10 })).toBe(1);
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
    budgetedFee: 0n,
    keyHash: 'aa'.repeat(32),
    requirementsDigest: 'bb'.repeat(32),
    group: new Uint8Array([1, 2, 3, 0, 255]),
    ...changes,
  };
}
