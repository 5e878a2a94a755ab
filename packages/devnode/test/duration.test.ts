import { describe, expect, test } from 'vitest';
import { DevnodeError } from '../src/errors.ts';
import { parseDuration } from '../src/duration.ts';

describe('a duration', () => {
  test.each([
    ['2.8s', 2800],
    ['500ms', 500],
    ['1m', 60_000],
    ['3', 3000],
    ['0.001', 1],
  ])('%s is %i ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

  test.each(['', '0', '0ms', '-1s', '2 s', '1h', '61m', 'soon', '1e3', 'Infinity'])('%j is refused', (text) => {
    expect(() => parseDuration(text)).toThrow(DevnodeError);
  });
});
