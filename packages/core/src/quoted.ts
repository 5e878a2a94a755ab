/** A longer text may be a key or a mnemonic if it has no colon or contains spaces. */
const MOST_QUOTED = 40;
const MOST_SHOWN = 80;

/**
 * Describes a wrong value for an error message: quotes it where that helps, otherwise gives only its type or length,
 * because a secret may stand where a price, an address or a network belongs.
 */
export function quoted(given: unknown): string {
  if (typeof given !== 'string') return given === null ? 'null' : `a value of type ${typeof given}`;
  const mayBeSecret = given.length > MOST_QUOTED && (!given.includes(':') || /\s/.test(given));
  return mayBeSecret ? `a text of ${given.length} characters` : JSON.stringify(given.slice(0, MOST_SHOWN));
}
