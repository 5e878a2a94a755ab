import { LONGEST_TIMER_MS } from '@avm402/core/durations';
import { X402Error } from '@avm402/core/errors';
import { count, type Kind, wrongOption } from '@avm402/core/option-kinds';

/** For a pause in milliseconds: a timer ends a longer one at once. */
export const pause: Kind = {
  words: `a whole number from 1 to ${LONGEST_TIMER_MS}`,
  fits: (value) => count.fits(value) && Number(value) <= LONGEST_TIMER_MS,
};

/** The error for an option of a seller; `why` completes the sentence "option … ". */
export function invalidOption(option: string, why: string): X402Error {
  return new X402Error('invalid_option', { message: `option ${option} ${why}`, details: { option } });
}

/**
 * Checks options by name and kind. Those of an option begin with its name and a dot, which is `where`.
 * @throws X402Error `invalid_option`
 */
export function checkOptions(options: object, kinds: Readonly<Record<string, Kind>>, where = ''): void {
  const wrong = wrongOption(options, kinds);
  if (wrong) throw invalidOption(`${where}${wrong.name}`, wrong.why);
}
