import { expect, it } from 'vitest';
import type { Sample, Slice } from '../harness/sample.ts';
import { physicalLimits } from '../report/physical-limits.ts';
import { OURS } from '../scenarios/sides.ts';

const MACHINE = { processor: 'P', cores: 2, memoryGiB: 24, system: 'linux', node: 'v24' };

function slice(name: string, side: string, cpuMs: Readonly<Record<string, number>>): Slice {
  return { case: name, side, round: 1, operations: 1, errors: {}, seconds: 1, cpuMs };
}

function sample(scenario: string, slices: readonly Slice[], machine = MACHINE): [string, Sample] {
  const facts = { full: true, takenAt: '2026-01-01', loadAverage: { before: 0, after: 0 } };
  return [scenario, { scenario, ...facts, machine, slices }];
}

const limits = sample('limits', [
  slice('sign', 'this machine', { 'the task': 0.5 }),
  slice('verify', 'this machine', { 'the task': 1 }),
  slice('commit', 'this machine', { 'the task': 1 }),
  slice('request', 'this machine', { 'client side': 1, 'server side': 1 }),
]);
const created = [slice('sponsored', OURS, { client: 2 })];

it('says how many times the bare parts an operation takes', () => {
  const text = physicalLimits(new Map([limits, sample('create', created)]));
  expect(text).toMatch(/create a payment .*\| +4× \|/);
});

it('compares nothing with the bare parts of another machine', () => {
  const other = { ...MACHINE, system: 'another' };
  const text = physicalLimits(new Map([limits, sample('create', created, other)]));
  expect(text).toMatch(/create a payment .*\| none: another machine \|/);
});
