import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface InstallSize {
  /** Bytes of the packages and everything that they bring. */
  readonly bytes: number;
  /** How many packages that are. */
  readonly packages: number;
}

interface Manifest {
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
}

/**
 * What an installation of packages puts on disk: their published files, their dependencies and theirs, each once.
 * Optional peers do not count.
 * @param names packages that the package of `from` depends on
 * @param from a file
 */
export async function installSize(names: readonly string[], from: string): Promise<InstallSize> {
  const seen = new Map<string, number>();
  for (const name of names) await add(name, from, seen);
  const sizes = [...seen.values()];
  return { bytes: sizes.reduce((sum, bytes) => sum + bytes, 0), packages: sizes.length };
}

async function add(name: string, from: string, seen: Map<string, number>): Promise<void> {
  const folder = await packageFolder(name, from);
  if (seen.has(folder)) return;
  seen.set(folder, 0);
  const manifest = await readManifest(folder);
  // Of a package of this repository only what would be published.
  const published = folder.includes('node_modules')
    ? undefined
    : manifest.files?.filter((file) => !file.startsWith('!'));
  const parts = published === undefined ? [folder] : published.map((file) => join(folder, file));
  for (const part of parts) seen.set(folder, (seen.get(folder) ?? 0) + (await bytesIn(part)));
  for (const dependency of Object.keys(manifest.dependencies ?? {})) {
    await add(dependency, join(folder, 'package.json'), seen);
  }
}

/** The folder in which Node would find the package, even one with the name of a module of its own. */
async function packageFolder(name: string, from: string): Promise<string> {
  for (const folder of createRequire(from).resolve.paths(`${name}/package.json`) ?? []) {
    const candidate = join(folder, name);
    if (await exists(join(candidate, 'package.json'))) return realpath(candidate);
  }
  throw new Error(`${name}, which ${dirname(from)} depends on, is not installed`);
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** A package's own file. */
async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

async function bytesIn(path: string): Promise<number> {
  const found = await lstat(path);
  if (found.isFile()) return found.size;
  if (!found.isDirectory()) return 0;
  let bytes = 0;
  for (const name of await readdir(path)) if (name !== 'node_modules') bytes += await bytesIn(join(path, name));
  return bytes;
}
