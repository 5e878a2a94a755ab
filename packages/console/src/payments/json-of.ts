/** What a role sent as JSON; undefined where it is none, for a role may send anything. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
