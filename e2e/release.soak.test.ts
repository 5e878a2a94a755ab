import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const bin = join(root, 'node_modules/.bin');
const REPOSITORY = 'https://git.example/somebody/avm402';
const folder = mkdtempSync(join(tmpdir(), 'avm402-release-'));
const tarballs = join(folder, 'tarballs');

/** The steps of the workflow's release, on a copy, up to the upload. */
beforeAll(() => {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of files.toString().split('\0').filter(Boolean)) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(folder, file));
  }
  run('git', ['init', '-q']);
  run(process.execPath, ['tools/name-repository.ts', REPOSITORY]);
  run(join(bin, 'changeset'), ['version']);
  run(join(bin, 'pnpm'), ['install', '--offline', '--no-frozen-lockfile', '--ignore-scripts']);
  // The workflow has compiled before; the declarations are still those of the sources.
  for (const name of names)
    cpSync(join(root, 'packages', name, 'dist'), join(folder, 'packages', name, 'dist'), { recursive: true });
  for (const name of names)
    run(join(bin, 'pnpm'), ['--dir', `packages/${name}`, 'pack', '--pack-destination', tarballs]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const names = readdirSync(join(root, 'packages'));

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { cwd: folder, encoding: 'utf8' });
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly repository: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A file of a packed package. */
function packed(name: string, file: string): string {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as Manifest;
  const start = new RegExp(`^${manifest.name.replace('@', '').replace('/', '-')}-\\d`);
  const [tarball = ''] = readdirSync(tarballs).filter((entry) => start.test(entry));
  return run('tar', ['-xOf', join(tarballs, tarball), `package/${file}`]);
}

const manifestOf = (name: string): Manifest => JSON.parse(packed(name, 'package.json')) as Manifest;

describe('a release', () => {
  it('leaves no changeset, and gives all packages one version', () => {
    expect(readdirSync(join(folder, '.changeset'))).toEqual(['config.json']);
    const versions = names.map((name) => manifestOf(name).version);
    expect(new Set(versions).size).toBe(1);
    expect(versions[0]).not.toBe('0.0.0');
  });

  it.each(names)(
    '%s is packed with its changelog, names the repository, and needs its neighbours in this version',
    (name) => {
      const { version, repository, dependencies = {} } = manifestOf(name);
      expect(packed(name, 'CHANGELOG.md')).toContain(`## ${version}`);
      expect(repository).toEqual({ type: 'git', url: `git+${REPOSITORY}.git`, directory: `packages/${name}` });
      const ofOurs = Object.entries(dependencies).filter(([dependency]) => dependency.startsWith('@avm402/'));
      expect(ofOurs.filter(([, range]) => range !== version)).toEqual([]);
      expect(Object.values(dependencies).filter((range) => /^(?:workspace|catalog|file|link):/.test(range))).toEqual(
        [],
      );
    },
  );

  it.each(names)('what the README of %s links to is in the repository or the package', (name) => {
    const readme = packed(name, 'README.md');
    const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !existsSync(join(folder, 'packages', name, link)))).toEqual([]);
  });
});
