import { describe, expect, it } from 'vitest';
import { RateLimit } from '../../src/callers/rate-limit.ts';

function limited(perMinute: number) {
  const clock = { ms: 0 };
  const limit = new RateLimit({ perMinute, now: () => clock.ms });
  const takes = (name: string, times: number): number => {
    let taken = 0;
    for (let count = 0; count < times; count += 1) {
      try {
        limit.take(name);
        taken += 1;
      } catch {
        return taken;
      }
    }
    return taken;
  };
  return { clock, limit, takes };
}

describe('a limit', () => {
  it('lets through what it allows in a minute at once, and the rest as time passes', () => {
    const { clock, takes } = limited(60);
    expect(takes('a', 100)).toBe(60);
    clock.ms += 999;
    expect(takes('a', 1)).toBe(0);
    clock.ms += 1;
    expect(takes('a', 2)).toBe(1);
    clock.ms += 600_000;
    expect(takes('a', 100)).toBe(60);
  });

  it('holds for each name by itself', () => {
    const { takes } = limited(5);
    expect([takes('a', 10), takes('b', 10)]).toEqual([5, 5]);
  });

  it('says in how many seconds the next one is let through', () => {
    const { clock, limit, takes } = limited(4);
    takes('a', 4);
    expect(() => limit.take('a')).toThrow(expect.objectContaining({ details: { retryAfter: 15 } }));
    clock.ms += 14_999;
    expect(takes('a', 1)).toBe(0);
    clock.ms += 1;
    expect(takes('a', 1)).toBe(1);
  });

  it('gives nothing for a clock that goes back', () => {
    const { clock, takes } = limited(5);
    takes('a', 5);
    clock.ms -= 60_000;
    expect(takes('a', 1)).toBe(0);
  });

  it('counts the time of whoever is refused from when the clock was set back', () => {
    const { clock, takes } = limited(5);
    clock.ms = 3_600_000;
    takes('a', 5);
    clock.ms = 0;
    expect(takes('a', 1)).toBe(0);
    clock.ms += 60_000;
    expect(takes('a', 10)).toBe(5);
  });

  it('remembers a hundred thousand names: a stranger with more addresses fills no memory', () => {
    const { limit, takes } = limited(1);
    takes('first', 1);
    for (let count = 0; count < 99_999; count += 1) limit.take(`name ${count}`);
    expect(takes('first', 1)).toBe(0);
    for (let count = 0; count < 2; count += 1) limit.take(`another ${count}`);
    expect(takes('first', 1)).toBe(1);
  });
});
