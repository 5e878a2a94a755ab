import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const QUIET = ['--no-audit', '--no-fund', '--prefer-offline'];

/** A folder outside the repository, with the packed packages of a stranger's project. */
export interface ConsumerFolder {
  readonly path: string;
  readonly run: (command: string, args: readonly string[], environment?: Readonly<Record<string, string>>) => string;
  readonly write: (file: string, content: string) => void;
  /** Installs packages of a registry, and all of ours. */
  readonly install: (dependencies: Readonly<Record<string, string>>) => void;
}

/** Makes a new folder beside that of the tarballs: npm takes a package for another one if its tarball is elsewhere. */
export function consumerFolder(): ConsumerFolder {
  const path = mkdtempSync(join(inject('consumers'), 'consumer-'));
  const run: ConsumerFolder['run'] = (command, args, environment = {}) =>
    execFileSync(command, args, { cwd: path, encoding: 'utf8', env: { ...process.env, ...environment } });
  const write: ConsumerFolder['write'] = (file, content) => writeFileSync(join(path, file), content);
  return {
    path,
    run,
    write,
    install: (others) => {
      const dependencies = { ...packed(), ...others };
      write('package.json', JSON.stringify({ private: true, type: 'module', dependencies }));
      installIn(path);
    },
  };
}

/**
 * Runs `npm install` in a project. All but the first begin with links to the files that it installed: npm then unpacks only
 * what is missing. It keeps what it finds, whoever asked for it, until `npm prune` has removed what the project does not need.
 */
export function installIn(path: string, env: NodeJS.ProcessEnv = process.env): void {
  const npm = (command: string) => execFileSync('npm', [command, ...QUIET], { cwd: path, env, stdio: 'pipe' });
  const before = join(inject('consumers'), 'installed-before');
  const isFirst = !existsSync(before);
  if (!isFirst) link(before, path);
  npm('install');
  if (isFirst) keepInstalled(path, before);
  else npm('prune');
}

/** Keeps what npm installed in an empty folder for the consumers after it. */
function keepInstalled(path: string, before: string): void {
  const unfinished = mkdtempSync(`${before}-`);
  link(path, unfinished);
  try {
    renameSync(unfinished, before);
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(before)) throw error;
  }
}

/**
 * Gives a folder the installed packages of another one, as links to the same files. npm's list of them is a file of its own,
 * because npm writes it in place, and a new one, because npm reads everything again if a folder is newer than the list.
 */
function link(from: string, to: string): void {
  execFileSync('cp', ['-al', join(from, 'node_modules'), to]);
  const list = 'node_modules/.package-lock.json';
  execFileSync('cp', ['--remove-destination', join(from, list), join(to, list)]);
}

/** Where each package is, by its name. */
function packed(): Record<string, string> {
  const named = readdirSync(join(root, 'packages')).map((folder) => {
    const manifest = readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8');
    const { name, version } = JSON.parse(manifest) as { readonly name: string; readonly version: string };
    return [name, `file:../tarballs/${name.replace('@', '').replace('/', '-')}-${version}.tgz`];
  });
  return Object.fromEntries(named);
}
