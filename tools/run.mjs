// Entry of every npm script. Plain JavaScript: it must run on Node 20 before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const binFolder = join(root, 'node_modules', '.bin');
const stampFile = join(root, 'node_modules', '.avm402-installed');
const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const fromSource = ['node', '--conditions=@avm402/source'];

/** What programs run, tests start and pages load. */
const javascript = [
  ['node', 'tools/write-dist.mjs'],
  ['node', 'packages/paying-page/bundle.mjs'],
  ['node', 'packages/console/bundle.mjs'],
];
/** The same, and first the declarations for whoever compiles against the packages: they take most of the time. */
const packages = [['tsc', '-b'], ...javascript];

const tasks = {
  start: {
    does: 'installs, pays one real request end to end, and exits',
    runs: [...fromSource, 'tools/stack/src/start.ts'],
  },
  setup: { does: 'installs and compiles, nothing else', compiles: packages },
  test: {
    does: 'installs, then runs the everyday tests (arguments after -- go to vitest)',
    runs: ['vitest', 'run', '--project', '!ci'],
  },
  'test:all': {
    does: 'those and the wider ones, *.ci.test.ts: every browser page, every mix with stock packages, bench',
    compiles: packages,
    runs: ['vitest', 'run'],
  },
  dev: {
    does: 'node, facilitator, weather and console from source, in watch mode, on their default ports',
    runs: ['turbo', 'run', 'dev', '--ui=stream', '--env-mode=loose', '--log-prefix=task'],
  },
  check: {
    does: 'lint, formatting, types, boundaries, unused code, packed packages',
    compiles: packages,
    runs: [...fromSource, 'tools/check.ts'],
  },
  soak: {
    does: 'the long tests: chaos, kills, fuzzing, packed consumers',
    compiles: packages,
    runs: ['vitest', 'run', '--config', 'vitest.soak.config.ts'],
  },
  'soak:nodes': {
    does: 'what asks something of Node itself, on older ones (-- 20, -- 22: all tests of the packages)',
    runs: [...fromSource, 'tools/nodes/src/run.ts'],
  },
  bench: { does: 'measurements beside the stock packages', runs: [...fromSource, 'bench/run.ts'] },
  ci: {
    does: 'test:all, check, soak and soak:nodes; the last line counts what passed',
    compiles: packages,
    runs: [...fromSource, 'tools/ci.ts'],
  },
};

/** `npm start` and `npm test` need no `run`. */
const called = (name) => `npm ${['start', 'test'].includes(name) ? name : `run ${name}`}`;
const lines = Object.entries(tasks).map(([name, { does }]) => `  ${called(name).padEnd(19)} ${does}`);
const help = `usage: npm run <task> [-- arguments]\n\n${lines.join('\n')}`;

/** Runs a program with Node 24 and the workspace's tools first on PATH. */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        PATH: binFolder + delimiter + process.env.PATH,
        TURBO_TELEMETRY_DISABLED: '1',
      },
    });
    // The terminal sends Ctrl-C to the whole process group; only stay alive until the child has cleaned up.
    const stay = () => {};
    const pass = () => child.kill('SIGTERM');
    process.on('SIGINT', stay).on('SIGTERM', pass);
    child.on('error', (error) => {
      console.error(`can't run ${command}: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code, signal) => {
      process.off('SIGINT', stay).off('SIGTERM', pass);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
    });
  });
}

/** What an installation depends on; a change means installing again. */
function fingerprint() {
  const hash = createHash('sha256');
  const groups = ['packages', 'apps', 'tools'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name)),
  );
  for (const folder of ['', 'e2e', 'bench', ...groups.toSorted((one, other) => (one < other ? -1 : 1))]) {
    const manifest = join(root, folder, 'package.json');
    if (existsSync(manifest)) hash.update(readFileSync(manifest));
  }
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

async function install() {
  const current = fingerprint();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === current) return 0;
  console.log('Installing the dependencies (once; about half a minute with a warm registry) …');
  const code = await run('npx', ['-y', packageManager, 'install', '--frozen-lockfile', '--prefer-offline']);
  if (code === 0) writeFileSync(stampFile, current);
  return code;
}

async function compile(steps) {
  const sign = setTimeout(() => console.log('Compiling …'), 1000);
  let code = 0;
  for (const [command, ...args] of steps) code ||= await run(command, args);
  clearTimeout(sign);
  return code;
}

async function main(name, extra) {
  if (!name || !Object.hasOwn(tasks, name)) {
    const asked = name === undefined || name === '--help';
    (asked ? console.log : console.error)(help);
    return asked ? 0 : 2;
  }
  const { compiles = javascript, runs: [command, ...args] = [] } = tasks[name];
  const code = (await install()) || (process.env.COMPILED_IN === root ? 0 : await compile(compiles));
  // What this starts need not compile the same again.
  process.env.COMPILED_IN = root;
  return code || command === undefined ? code : run(command, [...args, ...extra]);
}

process.exitCode = await main(process.argv[2], process.argv.slice(3));
