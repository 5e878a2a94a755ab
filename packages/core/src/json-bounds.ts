/** Limits of a protocol message: depth of nesting, number of values, characters of a text. */
const MAX_DEPTH = 64;
const MAX_VALUES = 10_000;
const MAX_TEXT = 65_536;

/**
 * The reason why a value from outside is not harmless JSON: too deep, too many values, a text too long, or a key that
 * would reach into an object's prototype. Undefined if the value is fine.
 */
export function whyNotBounded(value: unknown): string | undefined {
  let values = 0;
  const look = (current: unknown, depth: number): string | undefined => {
    if (++values > MAX_VALUES) return `more than ${MAX_VALUES} values`;
    if (depth > MAX_DEPTH) return `deeper than ${MAX_DEPTH} levels`;
    if (typeof current === 'string')
      return current.length > MAX_TEXT ? `a text of ${current.length} characters` : undefined;
    if (typeof current !== 'object' || current === null) return undefined;
    const members: Readonly<Record<string, unknown>> = Object(current);
    // Half the time of `Object.entries`, which allocates a pair for each member.
    for (const key of Object.keys(members)) {
      if (key === '__proto__') return 'a key named __proto__';
      const reason = look(members[key], depth + 1);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
  return look(value, 0);
}
