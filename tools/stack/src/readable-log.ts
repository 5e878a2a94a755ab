import { styleText } from 'node:util';

const LEVELS = new Map<unknown, string>([
  [10, 'trace'],
  [20, 'debug'],
  [30, 'info'],
  [40, styleText('yellow', 'warn')],
  [50, styleText('red', 'error')],
  [60, styleText('red', 'fatal')],
]);

/** A line of a log in JSON, as a person reads it: time, level, message, and the facts as `name=value`. */
export function readableLog(line: string): string {
  const facts = factsIn(line);
  if (facts === undefined) return line;
  const { level, time, msg, pid: _pid, hostname: _host, name: _name, ...rest } = facts;
  const at = new Date(Number(time)).toISOString().slice('2026-01-01T'.length, -1);
  const pairs = Object.entries(rest).map(([key, value]) => `${key}=${shown(value)}`);
  return [at, LEVELS.get(level) ?? String(level), msg, ...pairs].join(' ');
}

function factsIn(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{"level":')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' && !/[\s"]/.test(value) ? value : JSON.stringify(value);
}
