import { expect, inject, onTestFinished, test } from 'vitest';
import { compareGroups } from './model/model.ts';
import { sorted } from './model/world.ts';

const GROUPS = 100_000 * inject('soakShare');

test(`${GROUPS} random groups do in the ledger what the model says`, () => {
  // Many groups are refused, several errors deep, and nobody reads where; what differs names its world and group.
  const { stackTraceLimit } = Error;
  onTestFinished(() => void (Error.stackTraceLimit = stackTraceLimit));
  Error.stackTraceLimit = 0;
  const counts = compareGroups(GROUPS, 1_000_000);
  console.log('groups of applications:', Object.fromEntries(sorted(counts)));
  const at = (event: string): number => counts.get(event) ?? 0;
  // Groups that a mark takes back come on top.
  expect(at('group passed') + at('group refused')).toBeGreaterThanOrEqual(GROUPS);
  expect(at('group passed')).toBeGreaterThan(GROUPS / 5);
  const often = [
    'inner pay',
    'inner appl',
    'inner axfer',
    'inner acfg',
    'clear state passed',
    'clear state rolled back',
  ];
  for (const event of [...often, 'groups taken back by a mark', 'size update', 'delete', 'depth 2']) {
    expect(at(event), event).toBeGreaterThan(GROUPS / 1000);
  }
  const rules = ['refused:  below min ', 'refused: store integer count n exceeds schema int', 'refused: write budget'];
  for (const rule of [...rules, 'refused: too small (needs ', 'refused: too many inner']) {
    const seen = [...counts].filter(([event]) => event.startsWith(rule)).reduce((sum, [, times]) => sum + times, 0);
    expect(seen, rule).toBeGreaterThan(GROUPS / 10_000);
  }
  // Seldom: a great box that was made with many references must be named with few.
  expect(at('refused: read budget exceeded (n > n)')).toBeGreaterThanOrEqual(Math.floor(GROUPS / 100_000));
}, 3_000_000);
