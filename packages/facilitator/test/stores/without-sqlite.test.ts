import { afterEach, expect, it, vi } from 'vitest';
import { memorySettlementStore } from '../../src/stores/memory.ts';
import { openSqliteLedger } from '../../src/stores/sqlite-ledger.ts';
import { sqliteSettlementStore } from '../../src/stores/sqlite.ts';

afterEach(() => vi.restoreAllMocks());

it('a Node without SQLite is told which it needs, by name, and what works there', async () => {
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => undefined);
  const told = expect.objectContaining({
    code: 'store_unavailable',
    message: expect.stringMatching(/need Node 24; this is Node \d+.*postgresSettlementStore/),
    remedy: 'Use Node 24, or keep settlements in PostgreSQL.',
  });
  expect(() => memorySettlementStore()).toThrow(told);
  expect(() => openSqliteLedger('settlements.sqlite')).toThrow(told);
  await expect(sqliteSettlementStore({ path: ':memory:' }).open()).rejects.toEqual(told);
});
