import { X402Error } from '@avm402/core/errors';
import { type Kind, wrongOption } from '@avm402/core/option-kinds';

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
