import {
  cpuPerOperation,
  figure,
  latency,
  nodeCallsPerOperation,
  rate,
  ratio,
  type Measure,
} from '../harness/ratio.ts';
import { spread, type Spread } from '../harness/percentile.ts';
import type { Sample, Slice } from '../harness/sample.ts';
import { OURS, STOCK_BEST, STOCK_PUBLISHED } from '../scenarios/sides.ts';
import { formatMeasured, formatNumber } from './figures.ts';

/** Something that the project promises about its speed. */
interface Target {
  readonly name: string;
  readonly scenario: string;
  readonly case: string;
  readonly wanted: string;
  /** Over the rounds; undefined: not measured, or not without errors. */
  readonly measured: (slices: readonly Slice[]) => Spread | undefined;
  readonly isMet: (measured: number) => boolean;
  readonly unit: string;
}

/** Outcome of one target, as the table shows it. */
export interface TargetRow {
  readonly name: string;
  readonly wanted: string;
  readonly measured: string;
  readonly verdict: 'met' | 'missed' | 'not measured';
}

type Place = Pick<Target, 'name' | 'scenario' | 'case'>;

/** So many times better than the stock packages in both wirings. */
function factor(place: Place, measure: Measure, { better, times }: { better: 'more' | 'less'; times: number }): Target {
  return {
    ...place,
    wanted: `≥ ${times}×`,
    unit: '×',
    measured: (slices) => {
      const ratios = [STOCK_PUBLISHED, STOCK_BEST].map((theirs) =>
        ratio({ slices, ours: OURS, theirs, measure, better }),
      );
      const known = ratios.filter((value) => value !== undefined);
      return known.length === ratios.length ? known.toSorted((a, b) => a.median - b.median)[0] : undefined;
    },
    isMet: (measured) => measured >= times,
  };
}

function bound(place: Place, measure: Measure, limit: { atLeast?: number; atMost?: number; unit: string }): Target {
  const { atLeast = -Infinity, atMost = Infinity, unit } = limit;
  return {
    ...place,
    wanted: limit.atLeast === undefined ? `≤ ${formatNumber(atMost)}${unit}` : `≥ ${formatNumber(atLeast)}${unit}`,
    unit,
    measured: (slices) => {
      const ours = slices.filter(({ side }) => side === OURS);
      if (ours.some(({ errors }) => Object.keys(errors).length > 0)) return undefined;
      return spread(ours.map(measure).filter((value) => value !== undefined));
    },
    isMet: (measured) => measured >= atLeast && measured <= atMost,
  };
}

const instant = [1, 5] as const;
const interval = [10, 100] as const;
const transactions = figure('transactions a second');

const targets: readonly Target[] = [
  ...instant.map((concurrency) =>
    factor(
      { name: 'paid requests a second', scenario: 'request', case: `authorization, concurrency ${concurrency}` },
      rate,
      { better: 'more', times: 6 },
    ),
  ),
  ...interval.map((concurrency) =>
    factor(
      { name: 'CPU time of a paid request', scenario: 'request', case: `authorization, concurrency ${concurrency}` },
      cpuPerOperation(),
      { better: 'less', times: 6 },
    ),
  ),
  factor({ name: 'verifications a second', scenario: 'verify', case: 'concurrency 10' }, rate, {
    better: 'more',
    times: 5,
  }),
  ...instant.map((concurrency) =>
    factor({ name: 'settlements a second', scenario: 'settle', case: `concurrency ${concurrency}` }, rate, {
      better: 'more',
      times: 4,
    }),
  ),
  ...interval.map((concurrency) =>
    factor(
      { name: 'CPU time of a settlement', scenario: 'settle', case: `concurrency ${concurrency}` },
      cpuPerOperation(),
      { better: 'less', times: 4 },
    ),
  ),
  factor({ name: 'payments created a second', scenario: 'create', case: 'sponsored' }, rate, {
    better: 'more',
    times: 10,
  }),
  bound({ name: 'algod calls of the client', scenario: 'create', case: 'sponsored' }, nodeCallsPerOperation, {
    atMost: 0.01,
    unit: ' a payment',
  }),
  bound({ name: 'algod calls of verify', scenario: 'verify', case: 'concurrency 1' }, nodeCallsPerOperation, {
    atMost: 1.05,
    unit: ' a payment',
  }),
  bound(
    { name: 'algod calls of settle, a round for each', scenario: 'settle', case: 'concurrency 1' },
    nodeCallsPerOperation,
    {
      atMost: 3.05,
      unit: ' a payment',
    },
  ),
  bound({ name: 'node, start to first answer', scenario: 'start-up', case: 'node' }, latency(0.5), {
    atMost: 300,
    unit: ' ms',
  }),
  bound({ name: 'node, synchronous', scenario: 'node', case: 'synchronous, axfer' }, transactions, {
    atLeast: 3000,
    unit: ' a second',
  }),
  bound({ name: 'node, asynchronous', scenario: 'node', case: 'accepted asynchronously, axfer' }, transactions, {
    atLeast: 6000,
    unit: ' a second',
  }),
  bound({ name: 'node, asynchronous, confirmed', scenario: 'node', case: 'asynchronous, axfer' }, transactions, {
    atLeast: 6000,
    unit: ' a second',
  }),
];

/** How the samples stand against what the project promises. */
export function targetRows(samples: ReadonlyMap<string, Sample>): TargetRow[] {
  return targets.map((target) => {
    const slices = (samples.get(target.scenario)?.slices ?? []).filter((slice) => slice.case === target.case);
    const measured = target.measured(slices);
    return {
      name: `${target.name} (${target.scenario}: ${target.case})`,
      wanted: target.wanted,
      measured: measured === undefined ? '–' : formatMeasured(measured, target.unit),
      verdict: measured === undefined ? 'not measured' : target.isMet(measured.median) ? 'met' : 'missed',
    };
  });
}
