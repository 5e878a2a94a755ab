import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';

const folder = inject('tarballs');

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | { readonly types?: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function unpacked(tarball: string): string {
  const to = mkdtempSync(join(tmpdir(), 'avm402-types-'));
  onTestFinished(() => rm(to, { recursive: true }));
  execFileSync('tar', ['-xzf', join(folder, tarball), '-C', to]);
  return join(to, 'package');
}

/** The packages that a declaration file imports, and the files that it leads to. */
function importedBy(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const code = readFileSync(file, 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
  return [...code.matchAll(/\b(?:from |import\()['"]([^'"]+)['"]/g)].flatMap(([, specifier = '']) => {
    if (specifier.startsWith('.')) return importedBy(resolve(file, '..', specifier.replace(/\.[jt]s$/, '.d.ts')), seen);
    const [scope = '', name = ''] = specifier.split('/');
    return scope.startsWith('@') ? `${scope}/${name}` : scope;
  });
}

// What a package bundles is not installed with it, so no type that it publishes may need that.
it.each(readdirSync(folder).filter((file) => file.endsWith('.tgz')))(
  'the types of %s need only what is installed with it',
  (tarball) => {
    const path = unpacked(tarball);
    const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Manifest;
    const { name, exports = {}, dependencies, peerDependencies } = manifest;
    const installed = [name, ...Object.keys({ ...dependencies, ...peerDependencies })];
    const entries = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : (entry.types ?? [])));
    const imported = entries.flatMap((entry) => importedBy(join(path, entry)));
    expect(imported.filter((one) => !installed.includes(one) && !one.startsWith('node:'))).toEqual([]);
  },
);
