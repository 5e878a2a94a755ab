import { DevnodeError } from './errors.ts';

const DURATION = /^(\d+(?:\.\d+)?)(ms|s|m)?$/;
const MS_OF_UNIT: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
const LONGEST_MS = 3_600_000;

/**
 * Reads a duration such as `2.8s`, `500ms`, `1m`, or a bare number of seconds; gives it in ms.
 * @throws DevnodeError `invalid_options` when the text is not a duration, or not between 1 ms and an hour
 */
export function parseDuration(text: string): number {
  const [, number, unit = 's'] = DURATION.exec(text) ?? [];
  const ms = Math.round(Number(number) * (MS_OF_UNIT[unit] ?? Number.NaN));
  if (ms >= 1 && ms <= LONGEST_MS) return ms;
  throw new DevnodeError('invalid_options', `${text} is not a duration between 1ms and 60m (examples: 2.8s, 500ms)`);
}
