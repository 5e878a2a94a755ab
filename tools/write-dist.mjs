/**
 * Writes the JavaScript of packages into `dist`, beside the declarations of `tsc -b`: one file for each entry, and one
 * for what the same entries share, because Node takes longer to find many files than to read a few. Its arguments are
 * their folders; without any, all that `tsconfig.json` names.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeBundle } from './write-bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** The files of `dist` that others load, without their ending: those of `exports`, and what the programs import. */
function entriesOf(folder, { exports = {}, bin = {} }) {
  const exported = Object.values(exports).map((entry) => entry.default ?? '');
  const programs = Object.values(bin).map((path) => readFileSync(join(folder, path), 'utf8'));
  return [...exported, ...programs].flatMap((text) => /\bdist\/(.+)\.js\b/.exec(text)?.[1] ?? []);
}

/** What is installed with a package stays outside its files; whatever else it imports becomes a part of them. */
function installedWith({ dependencies = {}, peerDependencies = {} }) {
  return Object.keys({ ...dependencies, ...peerDependencies });
}

/** The licenses of the packages whose files became a part of these. */
function licensesOf(folder, dist, { inputs }) {
  const paths = Object.keys(inputs).flatMap((path) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(paths)].map((path) => {
    const from = join(folder, path);
    const [license] = readdirSync(from).filter((name) => /^licen[cs]e/i.test(name));
    if (license === undefined) throw new Error(`${from} has no license to publish with its code`);
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length).replace('/', '-');
    return { path: join(dist, 'licenses', `${name}.txt`), contents: readFileSync(join(from, license)) };
  });
}

/**
 * A short package.json beside the files. Node reads the nearest one for every import of every file, and a package's own
 * holds all its entries.
 */
function scopeOf(dist, { type, sideEffects }) {
  return { path: join(dist, 'package.json'), contents: Buffer.from(`${JSON.stringify({ type, sideEffects })}\n`) };
}

async function writeDist(folder) {
  const manifest = readJson(join(folder, 'package.json'));
  const dist = join(folder, 'dist');
  const { metafile, outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: Object.fromEntries(entriesOf(folder, manifest).map((name) => [name, `src/${name}.ts`])),
    outdir: dist,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'es2023',
    external: installedWith(manifest),
    sourcemap: true,
    // The maps lead to `src`, which is published.
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
    write: false,
  });
  const isKept = (path) => /\.d\.ts(?:\.map)?$|\.tsbuildinfo$/.test(path) || path.startsWith(join(dist, 'files') + sep);
  writeBundle(dist, [...outputFiles, ...licensesOf(folder, dist, metafile), scopeOf(dist, manifest)], isKept);
}

const given = process.argv.slice(2);
const named = () => readJson(join(root, 'tsconfig.json')).references.map(({ path }) => join(root, path));
for (const folder of given.length > 0 ? given.map((path) => resolve(path)) : named()) await writeDist(folder);
