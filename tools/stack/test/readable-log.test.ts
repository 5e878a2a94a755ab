import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { readableLog } from '../src/readable-log.ts';

const shown = (line: string): string => stripVTControlCharacters(readableLog(line));

it('shows a line of a log in JSON as time, level, message and facts', () => {
  const line = { level: 40, time: Date.UTC(2026, 0, 2, 3, 4, 5, 6), pid: 7, hostname: 'h', name: 'n' };
  expect(
    shown(JSON.stringify({ ...line, msg: 'a sponsor runs dry', network: 'algorand:x', left: 3, why: 'two words' })),
  ).toBe('03:04:05.006 warn a sponsor runs dry network=algorand:x left=3 why="two words"');
});

it('shows any other line as it is', () => {
  for (const line of ['facilitator listening on http://127.0.0.1:4022', '{"level":', ''])
    expect(shown(line)).toBe(line);
});
