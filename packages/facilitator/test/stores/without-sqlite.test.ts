import { afterEach, expect, it, vi } from 'vitest';
import { createMemorySettlementStore } from '../../src/stores/memory.ts';
import { openSqliteLedger } from '../../src/stores/sqlite-ledger.ts';
import { createSqliteSettlementStore } from '../../src/stores/sqlite.ts';

afterEach(() => vi.restoreAllMocks());

it('a Node without SQLite is told which it needs, by name, and what works there', async () => {
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => undefined);
  const told = expect.objectContaining({
    code: 'store_unavailable',
    message: expect.stringMatching(/need Node 24; this is Node \d+.*createPostgresSettlementStore/),
    remedy: 'Use Node 24, or keep settlements in PostgreSQL.',
  });
  expect(() => createMemorySettlementStore()).toThrow(told);
  expect(() => openSqliteLedger('settlements.sqlite')).toThrow(told);
  await expect(createSqliteSettlementStore({ path: ':memory:' }).open()).rejects.toEqual(told);
});
