// Lint, formatting, types, boundaries, unused code, and the packages as they would be published.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

const folder = mkdtempSync(join(tmpdir(), 'avm402-pack-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const checks: readonly Check[] = [
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'formatting', command: ['oxfmt', '--check'] },
  { name: 'types of sources', command: ['tsc', '-b'] },
  { name: 'types of tests', command: ['tsc', '-p', 'tsconfig.test.json'] },
  { name: 'unused files, exports and dependencies', command: ['knip'] },
  {
    name: 'every package is packed',
    // Everything is compiled by now.
    command: 'pnpm --recursive --filter ./packages/* --config.ignore-scripts=true pack --pack-destination'
      .split(' ')
      .concat(folder),
  },
];

/** The checks of the tarballs by publint and attw. */
function tarballChecks(): Check[] {
  return readdirSync(folder).flatMap((name) => [
    { name: `${name}: publint`, command: ['publint', 'run', join(folder, name), '--strict'] },
    {
      name: `${name}: types as consumers see them`,
      command: ['attw', join(folder, name), '--profile', 'esm-only'],
    },
  ]);
}

function passes({ name, command: [program = '', ...args] }: Check): Promise<boolean> {
  const started = performance.now();
  return new Promise((resolve) => {
    execFile(program, args, { maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      console.log(`${name} … ${error ? 'FAILED' : 'ok'} (${seconds} s)`);
      if (error) console.log(`$ ${[program, ...args].join(' ')}\n${stdout}${stderr}`);
      resolve(error === null);
    });
  });
}

/** Runs the checks, `atOnce` at a time. */
async function run(all: readonly Check[], atOnce: number): Promise<boolean[]> {
  const outcomes: boolean[] = [];
  const waiting = all.values();
  const lane = async (): Promise<void> => {
    for (const check of waiting) outcomes.push(await passes(check));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return outcomes;
}

const atOnce = availableParallelism();
const outcomes = [...(await run(checks, atOnce)), ...(await run(tarballChecks(), atOnce))];
const failed = outcomes.filter((passed) => !passed).length;
console.log(`checks: ${outcomes.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
