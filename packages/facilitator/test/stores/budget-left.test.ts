import { sqliteSettlementStore } from '../../src/stores/sqlite.ts';
import { describeBudgets } from './budgets-contract.ts';

describeBudgets('SQLite', async (now) => sqliteSettlementStore({ path: ':memory:', now }), { numRuns: 300 });
