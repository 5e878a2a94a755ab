import { expect, test } from 'vitest';
import { compareGroups } from './model/model.ts';

const EVENTS = `group passed, group refused, groups taken back by a mark, update, delete, size update, inner pay,
inner axfer, inner acfg, inner appl, inner fee paid by the outer group, clear state passed, clear state rolled back,
box of a new application without a name, refused: unavailable App n, refused: invalid Box reference`;

test('random groups do in the ledger what the model says, whatever their programs do or fail at', () => {
  const counts = compareGroups(200, 10);
  for (const event of EVENTS.split(/,\s/)) expect(counts.get(event) ?? 0, event).toBeGreaterThan(0);
});
