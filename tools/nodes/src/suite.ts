import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXCEPTIONS } from './exceptions.ts';
import { installNode } from './other-node.ts';
import { type Outcome, outcomeOf, parseReport } from './outcome.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The maintained versions besides the one that all tests run with. */
export const OTHER_NODES = [20, 22] as const;
export type OtherVersion = (typeof OTHER_NODES)[number];

const VITEST: Readonly<Record<OtherVersion, readonly string[]>> = {
  20: ['tools/nodes/node_modules/vitest-for-node-20/vitest.mjs', 'run', '--config', 'vitest.node-20.config.ts'],
  22: ['node_modules/vitest/vitest.mjs', 'run'],
};

/** The test folders of the packages whose manifests promise this version of Node. */
export function suitesOf(version: OtherVersion): string[] {
  return promises().flatMap(({ tests, oldest }) => (oldest <= version ? [tests] : []));
}

/** The test folders of the packages that promise this version and no older one. */
function suitesFrom(version: OtherVersion): string[] {
  return promises().flatMap(({ tests, oldest }) => (oldest === version ? [tests] : []));
}

/** Node's processes, sockets and streams. */
const NODES_OWN = / from 'node:(?:child_process|events|http2?|net|stream|zlib)\b/;
/** What they decide about in a seller, whatever its tests import. */
const CONNECTIONS = ['hosts/', 'leaving-client', 'held-response', 'settled-alone', 'takeover'];

/**
 * What asks something of Node itself in the packages that promise this version and no older one, and how a seller's
 * connections end. All other code keeps to the language that `lib` of tsconfig.base.json names, which the compiler checks.
 */
export function testsThatAskNode(version: OtherVersion): string[] {
  const files = suitesFrom(version).flatMap((folder) => globSync(`${folder}**/*.test.ts`, { cwd: root }));
  return [
    ...files.filter((file) => NODES_OWN.test(readFileSync(join(root, file), 'utf8'))),
    ...CONNECTIONS.map((name) => `packages/server/test/${name}`),
  ];
}

/** The test folder of each package, and the oldest major version that the package promises. */
function promises(): { readonly tests: string; readonly oldest: number }[] {
  return readdirSync(join(root, 'packages')).map((name) => {
    const { engines } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    const [, oldest] = /^>=(\d+)(?:\.\d+)*$/.exec(engines.node) ?? [];
    if (oldest === undefined) throw new Error(`packages/${name} promises ${engines.node}, which is not read here`);
    return { tests: `packages/${name}/test/`, oldest: Number(oldest) };
  });
}

/** Runs tests on a version of Node, shows Vitest's output, and compares the failures with the exceptions. */
export function runTests(version: OtherVersion, tests: readonly string[]): Outcome {
  using node = installNode(version);
  const folder = mkdtempSync(join(tmpdir(), 'avm402-nodes-'));
  const file = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const { status } = spawnSync(node.program, [...VITEST[version], ...tests, ...reporters], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, NODE_WITH_TYPESCRIPT: node.withTypescript },
    });
    console.log(`Node ${version}: whatever failed of tools/nodes/src/exceptions.ts had to.`);
    const runs = parseReport(readFileSync(file, 'utf8'), root);
    const outcome = outcomeOf(runs, EXCEPTIONS[version]);
    // Something went wrong outside of all tests.
    const isBroken = status !== 0 && runs.every((run) => run.passed);
    return isBroken ? { ...outcome, failed: [...outcome.failed, 'Vitest'] } : outcome;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
