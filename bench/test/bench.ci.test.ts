import { readFile } from 'node:fs/promises';
import { array, assert, double, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, type CompareOptions, type Comparison, type Side } from '../measure/compare.ts';
import { CPU, percentile, RATE, ratio, spread } from '../measure/figures.ts';
import { driveLoad, type LoadResult } from '../measure/load.ts';
import { results, targetsTable } from '../measure/report.ts';
import type { Slice } from '../measure/sample.ts';
import { runScenario, type Bench } from '../scenario.ts';
import { scenarios } from '../scenarios/all.ts';
import { measureAges } from '../scenarios/channel-growth.ts';
import { measureGrowth } from '../scenarios/growth.ts';
import { measureRestarts } from '../scenarios/long-chain.ts';

function slice(side: Slice['side'], round: number, change: Partial<Slice> = {}): Slice {
  return { case: 'concurrency 10', side, round, operations: 100, errors: {}, figures: { [RATE]: 100 }, ...change };
}

const work: LoadResult = { operations: 2, errors: {}, seconds: 0.5, latenciesMs: [9, 3] };

const comparing = (options: Pick<CompareOptions, 'sides'> & Partial<CompareOptions>) =>
  compare({ case: 'c', rounds: 1, warmUpMs: 0, signal: new AbortController().signal, ...options });

describe('figures of many values', () => {
  it('a percentile is one of the values, with the asked share at or below it', () => {
    const values = array(double({ noNaN: true, min: 0, max: 1e6 }), { minLength: 1 });
    assert(
      property(values, double({ noNaN: true, min: 0, max: 1 }), (list, p) => {
        const found = percentile(list, p);
        expect(list).toContain(found);
        expect(list.filter((value) => value <= found).length).toBeGreaterThanOrEqual(p * list.length);
      }),
    );
  });

  it('a spread takes the middle of odd and the mean of the two middle values of even counts', () => {
    expect(spread([9, 1, 5])).toEqual({ median: 5, min: 1, max: 9 });
    expect(spread([9, 1, 5, 7])?.median).toBe(6);
    expect(spread([])).toBeUndefined();
  });
});

describe('a ratio', () => {
  it('is the median of the ratios of slices measured side by side, less being better for all but the rate', () => {
    const figures = (value: number) => ({ figures: { [RATE]: value, [CPU]: value } });
    const slices = [slice('ours', 1, figures(200)), slice('stock', 1, figures(100))];
    slices.push(slice('ours', 2, figures(900)), slice('stock', 2, figures(300)));
    expect(ratio(slices, RATE)).toEqual({ median: 2.5, min: 2, max: 3 });
    expect(ratio(slices, CPU)?.max).toBe(0.5);
  });

  it.each(['ours', 'stock'] as const)('is withheld when a single operation of %s failed', (failing) => {
    const failed = (side: Slice['side']) => slice(side, 1, side === failing ? { errors: { timeout: 1 } } : {});
    expect(ratio([failed('ours'), failed('stock')], RATE)).toBeUndefined();
    expect(targetsTable([{ scenario: 'verify', facts: '', slices: [failed('ours'), failed('stock')] }])).toMatch(
      /concurrency 10, a second.*not measured/,
    );
  });

  it('is withheld when a side did nothing, was not measured, or lacks the figure', () => {
    expect(ratio([slice('ours', 1), slice('stock', 1, { operations: 0 })], RATE)).toBeUndefined();
    expect(ratio([slice('ours', 1)], RATE)).toBeUndefined();
    expect(ratio([slice('ours', 1), slice('stock', 1)], CPU)).toBeUndefined();
  });
});

describe('compare', () => {
  it('lets the sides take turns, each prepared before its slice', async () => {
    const log: string[] = [];
    const side = (name: Slice['side']): Side => ({
      name,
      pids: [],
      prepare: async () => void log.push(`${name} prepares`),
      run: async () => {
        log.push(`${name} works`);
        return work;
      },
    });
    const slices = await comparing({ sides: [side('ours'), side('stock')], rounds: 2 });
    const turn = ['ours prepares', 'ours works', 'stock prepares', 'stock works'];
    expect(log).toEqual([...turn, ...turn]);
    expect(slices.map(({ side: name, round }) => `${name} ${round}`)).toEqual([
      'ours 1',
      'stock 1',
      'ours 2',
      'stock 2',
    ]);
    expect(slices[0]).toMatchObject({ operations: 2, figures: { [RATE]: 4, 'p50 ms': 3, 'p99 ms': 9 } });
  });
});

it('driveLoad does every operation once, and counts failures by what they say', async () => {
  const seen: number[] = [];
  const result = await driveLoad({
    workers: 3,
    operations: 20,
    operate: async (index) => {
      seen.push(index);
      if (index % 10 === 0) throw new Error('HTTP 503');
    },
  });
  expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index));
  expect(result).toMatchObject({ operations: 18, errors: { 'HTTP 503': 2 } });
});

it('the tables of RESULTS.md are what the committed samples say; npm run bench -- --report writes them', async () => {
  const page = await readFile(new URL('../RESULTS.md', import.meta.url), 'utf8');
  expect(page).toBe(await results());
  const places = [...page.matchAll(/^<!-- table (\S+) -->$/gm)].map(([, name]) => name);
  expect(places).toEqual(['targets', ...scenarios.map(({ name }) => name)]);
});

describe('a scenario of growth', () => {
  const measured = (run: (bench: Bench) => Promise<void>) =>
    runScenario(run, { full: false, compare: (what) => comparing({ ...what, rounds: 1, warmUpMs: 0 }) });

  it('settles on top of a store that it has filled', async () => {
    expect(await measured((bench) => measureGrowth(bench, [50]))).toMatchObject([
      { case: '50 rows', operations: 100, errors: {} },
    ]);
  });

  it('leaves no process behind when a measurement fails', async () => {
    const pids: number[] = [];
    const failing = ({ sides }: Comparison) => {
      pids.push(...sides.flatMap((side) => side.pids));
      return Promise.reject(new Error('not measured'));
    };
    const run = (bench: Bench) => measureGrowth(bench, [1]);
    await expect(runScenario(run, { full: false, compare: failing })).rejects.toThrow('not measured');
    expect(pids).toHaveLength(1);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('pays by a channel that has grown old, among many', async () => {
    const slices = await measured((bench) => measureAges(bench, { requests: 20, vouchers: 50, channels: 50 }));
    const names = ['a new channel', 'after 50 vouchers', 'among 50 channels'];
    expect(slices).toMatchObject(names.map((name) => ({ case: name, operations: 20, errors: {} })));
  });

  it('starts a node again on a chain that it has made', async () => {
    const figures = { 'resident MiB': expect.any(Number) };
    const cases = ['50 blocks', '50 blocks, --archive'];
    const wanted = cases.map((name) => ({ case: name, operations: 1, errors: {}, figures }));
    expect(await measured((bench) => measureRestarts(bench, [50]))).toMatchObject(wanted);
  });
});
