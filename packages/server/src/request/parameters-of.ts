/** The parameters of a query by name: a string, or a list if a name occurs more than once. */
export function parametersOf(query: URLSearchParams): Readonly<Record<string, string | readonly string[]>> {
  const names = new Set(query.keys());
  return Object.fromEntries(
    Array.from(names, (name) => {
      const [first = '', ...more] = query.getAll(name);
      return [name, more.length > 0 ? [first, ...more] : first];
    }),
  );
}
