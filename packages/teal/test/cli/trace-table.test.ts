import { expect, it } from 'vitest';
import { traceTable } from '../../src/cli/trace-table.ts';

it('a run of all the budget that a group can have is a table, too', () => {
  const steps = Array.from({ length: 320_000 }, () => ({ pc: 1, popped: 0, added: [] }));
  const table = traceTable(steps, { instructions: new Map([[1, 'b label1']]), origins: [] });
  expect(table.split('\n')).toHaveLength(320_001);
});

it('a deep stack shows its top, a long byte string its beginning', () => {
  const added = [1n, 2n, 3n, 4n, 5n, 6n, 7n, new Uint8Array(40).fill(255)];
  const table = traceTable([{ pc: 1, popped: 0, added }], { instructions: new Map(), origins: [] });
  expect(table).toContain('(2 more) 3 4 5 6 7 0xffffffffffffffff…(40)');
});
