/** The value of a role's JSON; undefined if the text is not JSON, because a role may send anything. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
