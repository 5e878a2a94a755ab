import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
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
}

/** Makes a new folder with every package. */
export function consumerFolder(): ConsumerFolder {
  const path = mkdtempSync(join(inject('consumers'), 'consumer-'));
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
      const before = join(inject('consumers'), 'installed-before');
      if (existsSync(before)) linkInstalled(before, path);
      run('npm', ['install', ...QUIET]);
      run('npm', ['prune', ...QUIET]);
      if (!existsSync(before)) keepInstalled(path, before);
    },
  };
}

/** Keeps what npm installed in an empty folder for the consumers after it. */
function keepInstalled(path: string, before: string): void {
  const unfinished = mkdtempSync(`${before}-`);
  linkInstalled(path, unfinished);
  try {
    renameSync(unfinished, before);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(before)) throw error;
  }
}

/**
 * Gives a project the installed packages of another one, as links to the same files: `npm install` then unpacks only what is
 * missing. It keeps what it finds, whoever asked for it, until `npm prune` has removed what the project does not need.
 */
export function linkInstalled(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  execFileSync('cp', ['-al', join(from, 'node_modules'), to]);
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
