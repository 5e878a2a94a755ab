import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const folder = mkdtempSync(join(tmpdir(), 'avm402-nodes-'));

const SERVER = 'packages/server/test';
/** What runs on each: the other versions than 24, with which all tests run anyway. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  22: ['core', 'algorand', 'avm', 'teal', 'client', 'server'].map((name) => `packages/${name}/test`),
  // Vitest and programs in TypeScript need 22: here is what Node's connections and responses decide about.
  20: ['hosts', 'leaving-client', 'held-response', 'held-files', 'upfront', 'receipt-after'].map(
    (name) => `${SERVER}/${name}`,
  ),
};

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const nodes = Object.keys(TESTS).map((version) => `node-${version}@npm:node-${platform}-${process.arch}@${version}`);
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...nodes], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each(Object.entries(TESTS))('tests pass on Node %s', (version, tests) => {
  const node = join(folder, `node_modules/node-${version}/bin/node`);
  expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toMatch(new RegExp(`^v${version}\\.`));
  const run = spawnSync(node, [vitest, 'run', ...tests], { cwd: root, encoding: 'utf8', timeout: 300_000 });
  expect([run.status, run.stdout.slice(-5_000)]).toEqual([0, expect.stringMatching(/Tests.*\d{3,} passed/)]);
});
