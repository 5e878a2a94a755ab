// Lint, formatting, types, boundaries, unused code, and the packages as they would be published.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

const checks: readonly Check[] = [
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'formatting', command: ['oxfmt', '--check'] },
  { name: 'types of sources', command: ['tsc', '-b'] },
  { name: 'types of tests', command: ['tsc', '-p', 'tsconfig.test.json'] },
  { name: 'unused files, exports and dependencies', command: ['knip'] },
];

function passes({ name, command: [program = '', ...args] }: Check): boolean {
  const started = performance.now();
  process.stdout.write(`${name} … `);
  const result = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  const passed = result.status === 0;
  console.log(`${passed ? 'ok' : 'FAILED'} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  if (!passed) console.log(`$ ${[program, ...args].join(' ')}\n${result.stdout}${result.stderr}`);
  return passed;
}

/** Packs every package and lets publint and attw judge the tarballs. */
function packageChecks(folder: string): Check[] {
  return readdirSync('packages').flatMap((name) => {
    const tarball = join(folder, `${name}.tgz`);
    return [
      { name: `${name}: pack`, command: ['pnpm', '--dir', `packages/${name}`, 'pack', '--out', tarball] },
      { name: `${name}: publint`, command: ['publint', 'run', tarball, '--strict'] },
      { name: `${name}: types as consumers see them`, command: ['attw', tarball, '--profile', 'esm-only'] },
    ];
  });
}

const folder = mkdtempSync(join(tmpdir(), 'avm402-pack-'));
const outcomes = [...checks, ...packageChecks(folder)].map(passes);
rmSync(folder, { recursive: true, force: true });
const failed = outcomes.filter((passed) => !passed).length;
console.log(`checks: ${outcomes.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
