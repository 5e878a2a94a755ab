import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}ARCHITECTURE.md`, 'utf8');
const named = [...page.matchAll(/`((?:packages|apps|tools|e2e|bench)\/[^`*]*)`/g)].map(([, path = '']) => path);

describe('ARCHITECTURE.md', () => {
  it('names only files and folders that exist', () => {
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(root + path))).toEqual([]);
  });

  it('names every package', () => {
    const packages = readdirSync(`${root}packages`).map((name) => `packages/${name}`);
    expect(packages.filter((path) => !named.includes(path))).toEqual([]);
  });
});
