import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Makes a folder hold exactly these files. What is the same stays untouched, so that a bundle can be made again while
 * something reads it.
 * @param {string} folder
 * @param {readonly { readonly path: string, readonly contents: Uint8Array }[]} files
 * @param {(path: string) => boolean} isKept Whether a file that others wrote stays.
 */
export function writeBundle(folder, files, isKept = () => false) {
  for (const { path, contents } of files) {
    if (existsSync(path) && readFileSync(path).equals(contents)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
  const wanted = new Set(files.map(({ path }) => path));
  for (const name of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(name.parentPath, name.name);
    if (name.isFile() && !isKept(path) && !wanted.has(path)) rmSync(path);
  }
}
