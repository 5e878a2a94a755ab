import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { driveLoad } from '../harness/load.ts';

describe('driveLoad', () => {
  it('does every operation once, never more of them at a time than there are workers', async () => {
    let running = 0;
    let most = 0;
    const seen: number[] = [];
    const result = await driveLoad({
      workers: 3,
      operations: 20,
      operate: async ({ index }) => {
        seen.push(index);
        most = Math.max(most, ++running);
        await sleep(1);
        running--;
      },
    });
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(most).toBe(3);
    expect(result).toMatchObject({ operations: 20, errors: {} });
    expect(result.latenciesMs).toHaveLength(20);
  });

  it('counts failures by what they say, and no latency for them', async () => {
    const result = await driveLoad({
      workers: 2,
      operations: 10,
      operate: async ({ index }) => {
        if (index % 5 === 0) throw new Error('HTTP 503');
      },
    });
    expect(result).toMatchObject({ operations: 8, errors: { 'HTTP 503': 2 } });
    expect(result.latenciesMs).toHaveLength(8);
  });

  it('begins nothing after it was told to stop', async () => {
    const stop = new AbortController();
    const result = await driveLoad({
      workers: 1,
      operations: 100,
      signal: stop.signal,
      operate: async ({ index }) => {
        if (index === 4) stop.abort();
      },
    });
    expect(result.operations).toBe(5);
  });
});
