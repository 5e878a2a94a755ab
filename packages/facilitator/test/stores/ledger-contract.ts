import { ALGORAND_MAINNET, ALGORAND_TESTNET } from '@avm402/core/network';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerQuery, NewSettlement, SettlementStore } from '../../src/index.ts';
import { settlement } from './settlement-store-contract.ts';

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-03-01T12:00:00Z');

/** What every store tells of its settlements. `create` makes an empty one with this clock. */
export function describeLedger(name: string, create: (now: () => number) => Promise<SettlementStore>): void {
  describe(`${name} as a ledger`, () => {
    let clock: number;
    let store: SettlementStore;

    beforeEach(async () => {
      clock = NOON;
      store = await create(() => clock);
      await store.open();
    });

    afterEach(() => store.close());

    const record = async (txId: string, changes: Partial<NewSettlement> = {}, to?: 'confirmed' | 'expired') => {
      await store.record(settlement(txId, changes), { owner: 'us', leaseMs: 60_000 });
      if (to === undefined) return;
      await store.change(txId, 'us', { to: 'submitted' });
      await store.change(txId, 'us', to === 'confirmed' ? { to, confirmedRound: 77n } : { to });
    };
    const ids = async (query: Partial<LedgerQuery> = {}): Promise<string[]> =>
      (await store.list({ limit: 100, ...query })).map(({ txId }) => txId);

    it('lists from the latest settlement to the first, those of one moment by their ids', async () => {
      for (const txId of ['B', 'A', 'C']) await record(txId);
      clock += 1;
      await record('D');
      expect(await ids()).toEqual(['D', 'C', 'B', 'A']);
    });

    it('goes on after a place, whatever was recorded meanwhile, and gives each settlement once', async () => {
      for (const txId of ['A', 'B', 'C', 'D', 'E']) await record(txId);
      const seen: string[] = [];
      let after: LedgerQuery['after'];
      for (let page = 0; page < 3; page += 1) {
        const rows = await store.list({ limit: 2, ...(after === undefined ? {} : { after }) });
        seen.push(...rows.map(({ txId }) => txId));
        after = rows.at(-1);
        clock += 1;
        await record(`NEW${page}`);
      }
      expect(seen).toEqual(['E', 'D', 'C', 'B', 'A']);
    });

    it('lists those of receivers, a payer, states and a time, and of all of these together', async () => {
      await record('A', { payTo: 'SHOP', payer: 'ANN' }, 'confirmed');
      clock += 1000;
      await record('B', { payTo: 'SHOP', payer: 'BEN' }, 'expired');
      clock += 1000;
      await record('C', { payTo: 'OTHER', payer: 'ANN' });
      expect(await ids({ receivers: ['SHOP'] })).toEqual(['B', 'A']);
      expect(await ids({ receivers: ['SHOP', 'OTHER'] })).toEqual(['C', 'B', 'A']);
      expect(await ids({ receivers: [] })).toEqual([]);
      expect(await ids({ payer: 'ANN' })).toEqual(['C', 'A']);
      expect(await ids({ states: ['confirmed', 'recorded'] })).toEqual(['C', 'A']);
      expect(await ids({ from: NOON + 1000 })).toEqual(['C', 'B']);
      expect(await ids({ until: NOON + 1000 })).toEqual(['A']);
      expect(await ids({ receivers: ['SHOP'], payer: 'ANN', states: ['confirmed'], from: NOON })).toEqual(['A']);
      expect(await ids({ payer: `ANN' OR 1=1 --` })).toEqual([]);
    });

    it('sums confirmed amounts by day, network and asset, exactly, from the latest day to the first', async () => {
      const most = 2n ** 64n - 1n;
      const fee = { sponsoredFee: 2000n, terms: 'listed' } as const;
      await record('A', { amount: most, asset: '31', ...fee }, 'confirmed');
      await record('B', { amount: most, asset: '31', ...fee }, 'confirmed');
      await record('C', { amount: 7n, asset: '32', sponsoredFee: 0n }, 'confirmed');
      await record('D', { amount: 8n, asset: '31', network: ALGORAND_MAINNET, sponsoredFee: 0n }, 'confirmed');
      await record('E', { amount: 9n, asset: '31' }, 'expired');
      clock += DAY_MS / 2;
      await record('F', { amount: 1_000_000_000n, asset: '31', sponsoredFee: 0n }, 'confirmed');
      await record('G', { amount: 1n, asset: '31' });
      const [network, asset, none] = [ALGORAND_TESTNET, '31', { sponsoredFee: 0n }];
      const totals = await store.totals({});
      expect(totals.map(({ day }) => day)).toEqual(['2026-03-02', '2026-03-01', '2026-03-01', '2026-03-01']);
      expect(totals).toHaveLength(4);
      const one = { settlements: 1, ...none };
      expect(totals).toEqual(
        expect.arrayContaining([
          { day: '2026-03-02', network, asset, amount: 1_000_000_000n, ...one },
          { day: '2026-03-01', network, asset, settlements: 2, amount: most * 2n, sponsoredFee: 4000n },
          { day: '2026-03-01', network, asset: '32', amount: 7n, ...one },
          { day: '2026-03-01', network: ALGORAND_MAINNET, asset, amount: 8n, ...one },
        ]),
      );
      expect(await store.totals({ from: NOON + 1 })).toHaveLength(1);
      expect(await store.totals({ receivers: ['NOBODY'] })).toEqual([]);
    });

    it('sums what was moved into and out of channels by itself: it is not earned twice', async () => {
      await record('A', { amount: 5n, sponsoredFee: 0n, channel: { kind: 'top-up', id: 'CHANNEL' } }, 'confirmed');
      await record('B', { amount: 3n, sponsoredFee: 0n }, 'confirmed');
      const totals = await store.totals({});
      expect(totals.map(({ channelMove, amount }) => [channelMove, amount])).toEqual([
        [undefined, 3n],
        ['top-up', 5n],
      ]);
    });
  });
}
