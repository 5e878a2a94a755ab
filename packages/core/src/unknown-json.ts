/** Members that nobody has checked yet. */
export type UnknownMembers = Readonly<Record<string, unknown>>;

/** The value of a text of JSON; undefined for any other text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is an object, and not a list. */
export function isObject(value: unknown): value is UnknownMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a value; none if it is not an object. */
export function membersIn(value: unknown): UnknownMembers {
  return isObject(value) ? value : {};
}
