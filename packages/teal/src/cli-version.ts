import { readFileSync } from 'node:fs';

/** The version of this package. Not in `cli`, because its path to the manifest must hold in `dist`, too. */
export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}
