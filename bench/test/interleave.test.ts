import { describe, expect, it } from 'vitest';
import { interleave, type Side } from '../harness/interleave.ts';
import type { LoadResult } from '../harness/load.ts';

const result: LoadResult = { operations: 2, errors: {}, seconds: 0.5, latenciesMs: [9, 3] };

function recording(name: string, log: string[]): Side {
  const note = (what: string) => async () => void log.push(`${name} ${what}`);
  return {
    name,
    processes: {},
    warmUp: () => note('warm-up')().then(() => result),
    prepare: note('prepare'),
    run: async () => {
      log.push(`${name} run`);
      return result;
    },
  };
}

describe('interleave', () => {
  it('warms all sides up and then lets them take turns: A B A B', async () => {
    const log: string[] = [];
    const slices = await interleave({
      case: 'c',
      sides: [recording('A', log), recording('B', log)],
      rounds: 2,
      warmUpMs: 0,
      onSlice: ({ side, round }) => log.push(`${side} ${round} done`),
      signal: new AbortController().signal,
    });
    const turn = (round: number): string[] =>
      ['A', 'B'].flatMap((name) => [`${name} prepare`, `${name} run`, `${name} ${round} done`]);
    expect(log).toEqual(['A warm-up', 'B warm-up', ...turn(1), ...turn(2)]);
    expect(slices.map(({ side, round }) => `${side}${round}`)).toEqual(['A1', 'B1', 'A2', 'B2']);
    expect(slices[0]).toEqual({ ...result, case: 'c', side: 'A', round: 1, latenciesMs: [3, 9] });
  });

  it('lets a side that was stopped work once before its slice counts', async () => {
    const log: string[] = [];
    await interleave({
      case: 'c',
      sides: [{ ...recording('A', log), own: [] }, recording('B', log)],
      rounds: 1,
      warmUpMs: 0,
      onSlice: () => {},
      signal: new AbortController().signal,
    });
    expect(log.slice(2)).toEqual(['A warm-up', 'A prepare', 'A run', 'B prepare', 'B run']);
  });

  it('warms each side up for as long as it is told to, once at least', async () => {
    let warmUps = 0;
    const side: Side = {
      name: 'A',
      processes: {},
      warmUp: async () => {
        warmUps++;
        await new Promise((resolve) => setTimeout(resolve, 10));
        return result;
      },
      run: async () => result,
    };
    const options = { case: 'c', sides: [side], rounds: 1, onSlice: () => {}, signal: new AbortController().signal };
    await interleave({ ...options, warmUpMs: 0 });
    expect(warmUps).toBe(1);
    await interleave({ ...options, warmUpMs: 30 });
    expect(warmUps).toBeGreaterThan(2);
  });

  it('does not measure a side that mostly failed while it warmed up', async () => {
    const failing = async (): Promise<LoadResult> => ({ ...result, errors: { 'HTTP 402': 3 } });
    const measuring = interleave({
      case: 'c',
      sides: [{ ...recording('A', []), warmUp: failing }],
      rounds: 1,
      warmUpMs: 0,
      onSlice: () => {},
      signal: new AbortController().signal,
    });
    await expect(measuring).rejects.toThrow('c: 3 of 5 operations of A failed while it warmed up: HTTP 402');
  });

  it('counts what the node was asked during a slice, not before', async () => {
    let asked = 7;
    const side: Side = {
      name: 'A',
      processes: {},
      prepare: async () => void (asked += 100),
      run: async () => {
        asked += 5;
        return result;
      },
    };
    const [slice] = await interleave({
      case: 'c',
      sides: [side],
      rounds: 1,
      warmUpMs: 0,
      nodeCalls: async () => ({ 'GET /asked': asked, 'GET /idle': 3 }),
      onSlice: () => {},
      signal: new AbortController().signal,
    });
    expect(slice?.nodeCalls).toEqual({ 'GET /asked': 5 });
  });

  it('gives up between slices when it is told to', async () => {
    const stop = new AbortController();
    const running = interleave({
      case: 'c',
      sides: [recording('A', [])],
      rounds: 3,
      warmUpMs: 0,
      onSlice: () => stop.abort(),
      signal: stop.signal,
    });
    await expect(running).rejects.toThrow('aborted');
  });
});
