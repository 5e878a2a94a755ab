import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const { exports } = manifest as { exports: Record<string, Record<string, string>> };
const subpaths = Object.entries(exports).filter(([subpath]) => subpath !== './package.json');

describe('the package', () => {
  it('exports these names', async () => {
    const names: Record<string, string[]> = {};
    for (const [subpath, conditions] of subpaths) {
      const module: object = await import(fileURLToPath(new URL(conditions['@avm402/source'] ?? '', root)));
      names[subpath] = Object.keys(module).toSorted();
    }
    expect(names).toMatchSnapshot();
  });
});
