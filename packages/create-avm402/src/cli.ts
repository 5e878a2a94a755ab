import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { NODE, projectFiles, type ProjectOptions } from './project.ts';

const HELP = `Usage: npm create avm402 [FOLDER] [-- options]

Makes a project in FOLDER (default: avm402-joke): a seller, a buyer and a test, which run on an embedded Algorand node.

      --javascript         JavaScript instead of TypeScript
      --framework NAME     express (default) or hono
      --contract           the seller is paid through a smart contract
      --packages FOLDER    take the packages of avm402 from tarballs in this folder
  -h, --help               show this
  -v, --version            show the version`;

const WRONG_CALL = 2;

/** A mistake in the command line. */
class WrongCall extends Error {}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      javascript: { type: 'boolean', default: false },
      framework: { type: 'string', default: 'express' },
      contract: { type: 'boolean', default: false },
      packages: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  });
  if (values.help) return console.log(HELP);
  if (values.version) return console.log(version());
  if (positionals.length > 1) throw new WrongCall(`one folder, not ${positionals.length}`);
  const folder = resolve(positionals[0] ?? 'avm402-joke');
  const { framework, contract } = values;
  if (framework !== 'express' && framework !== 'hono')
    throw new WrongCall(`no framework ${framework}: express or hono`);
  const language = values.javascript ? 'javascript' : 'typescript';
  const sourceOf = values.packages === undefined ? () => `^${version()}` : tarballsIn(resolve(values.packages));
  const ownNode = Number(process.versions.node.split('.', 1)[0]) < NODE;
  make(folder, { name: nameOf(folder), language, framework, contract, ownNode, sourceOf });
}

function make(folder: string, options: ProjectOptions): void {
  // A new repository is as good as empty.
  if (existsSync(folder) && readdirSync(folder).some((name) => name !== '.git'))
    throw new WrongCall(`${folder} is not empty`);
  const files = projectFiles(options);
  mkdirSync(folder, { recursive: true });
  try {
    for (const [path, content] of files) writeFileSync(join(folder, path), content);
  } catch (error) {
    // A second try needs an empty folder.
    for (const path of files.keys()) rmSync(join(folder, path), { force: true });
    throw error;
  }
  const near = relative(process.cwd(), folder) || '.';
  const place = near.startsWith('..') ? folder : near;
  console.log(`made ${files.size} files in ${place}; now:

  cd ${/^[\w./\\:-]+$/.test(place) ? place : `"${place}"`}
  npm install${options.ownNode ? `  # brings Node ${NODE}, which runs them` : ''}
  npm start    # sells a joke for a cent, and buys it
  npm test`);
}

/** The tarball of each package in a folder, as `pnpm pack` names them. All packages have this one's version. */
function tarballsIn(folder: string): ProjectOptions['sourceOf'] {
  return (name) => {
    const tarball = `${name.replace('@', '').replace('/', '-')}-${version()}.tgz`;
    if (!existsSync(join(folder, tarball))) throw new WrongCall(`${folder} has no tarball ${tarball}`);
    return `file:${join(folder, tarball)}`;
  };
}

/** A name that npm accepts. */
function nameOf(folder: string): string {
  return (
    basename(folder)
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'avm402-joke'
  );
}

function version(): string {
  const manifest: { version?: unknown } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return String(manifest.version);
}

try {
  main();
} catch (error) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isWrongCall = error instanceof WrongCall || code.startsWith('ERR_PARSE_ARGS');
  // What the system says of a folder, such as ENOTDIR, names it.
  if (!(error instanceof Error && (isWrongCall || /^E[A-Z]+$/.test(code)))) throw error;
  console.error(`create-avm402: ${error.message}${isWrongCall ? '; see --help' : ''}`);
  process.exitCode = isWrongCall ? WRONG_CALL : 1;
}
