import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface InstallSize {
  /** Bytes of the packages and everything that they bring. */
  readonly bytes: number;
  /** How many packages that are. */
  readonly packages: number;
}

/** What each package's own files take, by its folder. Installations share most of them. */
export type KnownSizes = Map<string, number>;

interface Manifest {
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
}

/**
 * What an installation of packages puts on disk: their published files, their dependencies and theirs, each once.
 * Optional peers do not count.
 * @param names packages that the package of `from` depends on
 * @param from a file
 * @param known sizes found before; those found now are added
 */
export async function installSize(names: readonly string[], from: string, known: KnownSizes): Promise<InstallSize> {
  const folders = new Set<string>();
  for (const name of names) await add(name, from, folders);
  let bytes = 0;
  for (const folder of folders) {
    const size = known.get(folder) ?? (await ownSize(folder));
    known.set(folder, size);
    bytes += size;
  }
  return { bytes, packages: folders.size };
}

async function add(name: string, from: string, folders: Set<string>): Promise<void> {
  const folder = await packageFolder(name, from);
  if (folders.has(folder)) return;
  folders.add(folder);
  const { dependencies = {} } = await readManifest(folder);
  for (const dependency of Object.keys(dependencies)) await add(dependency, join(folder, 'package.json'), folders);
}

async function ownSize(folder: string): Promise<number> {
  const { files = [] } = await readManifest(folder);
  // Of a package of this repository only what would be published.
  const parts = folder.includes('node_modules') ? ['.'] : files.filter((file) => !file.startsWith('!'));
  const sizes = await Promise.all(parts.map((part) => bytesIn(join(folder, part))));
  return sizes.reduce((sum, size) => sum + size, 0);
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
