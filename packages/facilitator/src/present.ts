/** The members that are not undefined: where many may be absent. */
export function present<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  // Each remaining member has a value.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
