import { X402Error } from '@avm402/core/errors';

/** The error for an option of a seller; `why` completes the sentence "option … ". */
export function invalidOption(option: string, why: string): X402Error {
  return new X402Error('invalid_option', { message: `option ${option} ${why}`, details: { option } });
}
