import { createSqliteSettlementStore } from '../../src/stores/sqlite.ts';
import { describeBudgets } from './budgets-contract.ts';

describeBudgets('SQLite', async (now) => createSqliteSettlementStore({ path: ':memory:', now }), { numRuns: 300 });
