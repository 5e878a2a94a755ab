import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Manifest {
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Bytes that an installation of these packages puts on disk: their published files and their dependencies', each once. */
export async function installedBytes(names: readonly string[]): Promise<number> {
  const folders = new Set<string>();
  for (const name of names) await add(name, fileURLToPath(import.meta.url), folders);
  const sizes = await Promise.all([...folders].map(publishedBytes));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function add(name: string, from: string, folders: Set<string>): Promise<void> {
  const folder = await packageFolder(name, from);
  if (folders.has(folder)) return;
  folders.add(folder);
  const { dependencies = {} } = await readManifest(folder);
  for (const dependency of Object.keys(dependencies)) await add(dependency, join(folder, 'package.json'), folders);
}

/** The folder in which Node would find the package, even one with the name of a module of its own. */
async function packageFolder(name: string, from: string): Promise<string> {
  for (const folder of createRequire(from).resolve.paths(`${name}/package.json`) ?? []) {
    const found = await realpath(join(folder, name)).catch(() => undefined);
    if (found !== undefined) return found;
  }
  throw new Error(`${name}, which ${from} depends on, is not installed`);
}

/** Of a package of this repository only what would be published. */
async function publishedBytes(folder: string): Promise<number> {
  const { files = [] } = await readManifest(folder);
  const parts = folder.includes('node_modules') ? ['.'] : files.filter((file) => !file.startsWith('!'));
  const sizes = await Promise.all(parts.map((part) => bytesIn(join(folder, part))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(files.map((file) => lstat(file)))).reduce((sum, { size }) => sum + size, 0);
}
