// Not imported: importing node:fs reads all its exports, which also loads its streams and promises.
const { readFileSync } = process.getBuiltinModule('node:fs');

/** The version of this package. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
  return 'unknown';
}
