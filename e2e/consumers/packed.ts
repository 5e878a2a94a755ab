import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const QUIET = ['--no-audit', '--no-fund', '--prefer-offline'];

/** A folder outside the repository, with the packed packages of a stranger's project. */
export interface ConsumerFolder {
  readonly path: string;
  /** The folder with one tarball for each package. */
  readonly tarballs: string;
  readonly run: (command: string, args: readonly string[], environment?: Readonly<Record<string, string>>) => string;
  readonly write: (file: string, content: string) => void;
  /** Installs packages of a registry, and all of ours. */
  readonly install: (dependencies: Readonly<Record<string, string>>) => void;
  readonly remove: () => void;
}

/** Makes a new folder with every package. */
export function consumerFolder(): ConsumerFolder {
  const path = mkdtempSync(join(tmpdir(), 'avm402-consumer-'));
  const tarballs = join(path, 'tarballs');
  cpSync(inject('tarballs'), tarballs, { recursive: true });
  const run: ConsumerFolder['run'] = (command, args, environment = {}) =>
    execFileSync(command, args, { cwd: path, encoding: 'utf8', env: { ...process.env, ...environment } });
  const write: ConsumerFolder['write'] = (file, content) => writeFileSync(join(path, file), content);
  return {
    path,
    tarballs,
    run,
    write,
    install: (others) => {
      const dependencies = { ...packed(), ...others };
      write('package.json', JSON.stringify({ private: true, type: 'module', dependencies }));
      run('npm', ['install', ...QUIET]);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Where each package is, by its name. */
function packed(): Record<string, string> {
  const named = readdirSync(join(root, 'packages')).map((folder) => {
    const manifest = readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8');
    const { name, version } = JSON.parse(manifest) as { readonly name: string; readonly version: string };
    return [name, `file:tarballs/${name.replace('@', '').replace('/', '-')}-${version}.tgz`];
  });
  return Object.fromEntries(named);
}
