// Tests, checks, soak and other versions of Node in one run; the last line counts everything.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Count {
  readonly passed: number;
  readonly failed: number;
}

const folder = mkdtempSync(join(tmpdir(), 'avm402-ci-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Runs one npm script; shows its output and returns it. */
async function npm(script: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  console.log(`\n── npm run ${script} ──`);
  const started = performance.now();
  const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // `npm run soak` by itself, as in ci.yml, tries all random cases.
    env: { SOAK_SHARE: '0.1', ...process.env, SOAK_FOLLOWS: 'true' },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
    process.stdout.write(chunk);
  });
  const [code] = await once(child, 'close');
  console.log(`\n── npm run ${script} took ${Math.round((performance.now() - started) / 1000)} s ──`);
  return { code: typeof code === 'number' ? code : 1, output };
}

/** Counts at least one failure for a run that ended badly, whatever it printed. */
function atLeastOneFailure(code: number, count: Count): Count {
  return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count;
}

async function vitest(script: string, ...args: readonly string[]): Promise<Count> {
  const report = join(folder, `${[script, ...args].join('-').replaceAll(':', '-')}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { code } = await npm(script, [...args, ...reporters]);
  return atLeastOneFailure(code, readReport(report));
}

function readReport(file: string): Count {
  try {
    const report: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const { numPassedTests = 0, numFailedTests = 0 } = report as Record<string, number>;
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

/** Runs a script whose last line has the counts. */
async function counting(script: string): Promise<Count> {
  const { code, output } = await npm(script, []);
  const [, passed = '0', failed = '0'] = /: (\d+) passed, (\d+) failed\s*$/.exec(output) ?? [];
  return atLeastOneFailure(code, { passed: Number(passed), failed: Number(failed) });
}

const counts = [
  await vitest('test:all'),
  // It reads the whole repository, in which tests write files.
  await counting('check'),
  ...(await Promise.all([vitest('soak', '--project=!undisturbed'), counting('soak:nodes')])),
  await vitest('soak', '--project=undisturbed'),
];
const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed`);
