const MAX_DEPTH = 16;

/** The object, if its JSON has at most `length` characters and is not nested too deeply. */
export function jsonWithin<T extends object>(value: T, length: number): T | undefined {
  return isShallow(value, MAX_DEPTH) && JSON.stringify(value).length <= length ? value : undefined;
}

/** Checked before anything recurses into the value: a small body can be nested deeply enough to exhaust any stack. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}
