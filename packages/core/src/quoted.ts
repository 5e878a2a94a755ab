/** Above this, what has no colon, or has spaces, may be a key or a mnemonic. */
const MOST_QUOTED = 40;
const MOST_SHOWN = 80;

/**
 * What was given by mistake, for an error message: quoted where that helps, else only what it is. A secret may stand where a
 * price, an address or a network belongs.
 */
export function quoted(given: unknown): string {
  if (typeof given !== 'string') return given === null ? 'null' : `a value of type ${typeof given}`;
  const mayBeSecret = given.length > MOST_QUOTED && (!given.includes(':') || /\s/.test(given));
  return mayBeSecret ? `a text of ${given.length} characters` : JSON.stringify(given.slice(0, MOST_SHOWN));
}
