/** The imports of a source file, type imports included. */
export function importsOf(source: string): string[] {
  const found = source.matchAll(/^(?:import|export|\}).*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm);
  return [...found].map(([, named, bare, lazy]) => named ?? bare ?? lazy ?? '');
}
