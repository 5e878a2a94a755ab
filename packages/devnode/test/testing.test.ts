import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { useDevnode, type TestHooks } from '../src/testing.ts';
import { examplesOf } from './examples.ts';

const node = await useDevnode();

/** Hooks that the test runs itself. */
function ownHooks(): { hooks: TestHooks; beforeEach: (() => Promise<void>)[]; afterAll: (() => Promise<void>)[] } {
  const [before, after]: (() => Promise<void>)[][] = [[], []];
  const hooks: TestHooks = { beforeEach: (run) => before?.push(run), afterAll: (run) => after?.push(run) };
  return { hooks, beforeEach: before ?? [], afterAll: after ?? [] };
}

describe('a node for tests', () => {
  const { merchant, payer } = node.accounts;
  const start = 1_000_000_000_000n;

  // Each of the two would fail if the other's doings were left.
  test.each(['one', 'another'])('is as new for %s test', async () => {
    expect([node.latestRound, node.balance(merchant.address).microAlgos]).toEqual([0n, start]);
    await node.fund(merchant.address, 5n);
    await node.setTime(4_000_000_000);
    await node.impersonate(payer.address);
    await node.pause();
    expect((await node.state()).paused).toBe(true);
  });

  test('has named accounts with funds', () => {
    expect(node.balance(payer.address).microAlgos).toBeGreaterThan(0n);
    expect(node.balance(payer.address).assets.get(10_458_941n)).toBeGreaterThan(0n);
  });

  test('is the same for all in a worker, and runs until the last has ended', async () => {
    const other = ownHooks();
    expect(await useDevnode({ hooks: other.hooks })).toBe(node);
    await node.mine(2);
    await other.beforeEach[0]?.();
    expect(node.latestRound).toBe(0n);
    await other.afterAll[0]?.();
    expect((await fetch(`${node.url}/health`)).status).toBe(200);
  });

  test('is refused with other options than those it runs with', async () => {
    await expect(useDevnode({ blocks: 'manual' })).rejects.toMatchObject({ code: 'invalid_options' });
  });
});

describe('a node with a setup', () => {
  const { merchant, payer } = node.accounts;

  test('returns to the state after it, whatever a test, or another suite of the worker, has done', async () => {
    const own = ownHooks();
    let runs = 0;
    const setup = async (): Promise<void> => {
      runs++;
      await node.fund(merchant.address, 7n);
    };
    const prepared = await useDevnode({ hooks: own.hooks, setup });
    const funded = prepared.balance(merchant.address).microAlgos;
    const disturbances = [
      () => node.fund(merchant.address, 1n),
      () => node.impersonate(payer.address),
      () => node.addFault({ route: 'GET /v2/status', status: 503 }),
      () => node.pause(),
    ];
    for (const disturb of disturbances) {
      await disturb();
      await own.beforeEach[0]?.();
      const { round, impersonated, faults, paused } = await node.state();
      expect([node.balance(merchant.address).microAlgos, round, impersonated, faults, paused]).toEqual([
        funded,
        1n,
        [],
        [],
        false,
      ]);
    }
    expect(runs).toBe(1);
    await node.reset();
    await own.beforeEach[0]?.();
    expect([node.balance(merchant.address).microAlgos, runs]).toEqual([funded, 2]);
    await own.afterAll[0]?.();
  });

  test('says its port', () => expect(node.url.endsWith(`:${node.port}`)).toBe(true));
});

describe('the hooks', () => {
  afterEach(() => void vi.unstubAllGlobals());

  test('of the global scope are taken, as Jest has them', async () => {
    const { hooks, afterAll } = ownHooks();
    vi.stubGlobal('beforeEach', hooks.beforeEach);
    vi.stubGlobal('afterAll', hooks.afterAll);
    await useDevnode();
    expect(afterAll).toHaveLength(1);
    await afterAll[0]?.();
  });

  test('are asked for where no runner has any', () => {
    const code =
      "await (await import('@avm402/devnode/testing')).useDevnode().catch((error) => console.log(error.code))";
    const { VITEST: _, ...env } = process.env;
    const args = ['--input-type=module', '--eval', code];
    const { stdout } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, env, encoding: 'utf8' });
    expect(stdout.trim()).toBe('invalid_options');
  });
});

test('the node is stopped after the last test of a file', () => {
  const code = `
    const hooks = { beforeEach() {}, afterAll(run) { hooks.end = run; } };
    const { useDevnode } = await import('@avm402/devnode/testing');
    const node = await useDevnode({ hooks });
    await hooks.end();
    console.log(await fetch(node.url).then(() => 'there', () => 'gone'));
  `;
  const args = ['--input-type=module', '--eval', code];
  const { stdout } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' });
  expect(stdout.trim()).toBe('gone');
});

test('the commands of docs/devnode/ci.md start a node on any port, use it and stop it', () => {
  const [commands = ''] = examplesOf('sh', 'docs/devnode/ci.md');
  const folder = mkdtempSync(join(tmpdir(), 'devnode-ci-'));
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'));
  const ended = `${commands}\nwait "$NODE"; echo; echo "ended with $?"`;
  const { stdout, stderr } = spawnSync('bash', ['-e', '-c', ended], { cwd: folder, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect(stderr).toBe('');
  expect(stdout).toMatch(/"genesis-id":"dockernet-v1".*ended with 0/s);
});
