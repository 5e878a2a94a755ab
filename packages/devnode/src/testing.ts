import { isDeepStrictEqual } from 'node:util';
import type { DevState } from './dev/schema.ts';
import { DevnodeError } from './errors.ts';
import { startDevnode, type Devnode, type DevnodeOptions } from './start-devnode.ts';

/** A test runner's hooks between and after tests; those of Vitest and Jest fit. */
export interface TestHooks {
  readonly beforeEach: (run: () => Promise<void>) => unknown;
  readonly afterAll: (run: () => Promise<void>) => unknown;
}

export interface UseDevnodeOptions extends DevnodeOptions {
  /** Default: the runner's own, if they are global or the runner is Vitest. */
  readonly hooks?: TestHooks;
  /**
   * Prepares the chain, once; each test begins with the state after it. Faults and impersonations that it sets last
   * until a test ends them.
   */
  readonly setup?: (node: Devnode) => Promise<void>;
}

interface SharedNode {
  readonly options: DevnodeOptions;
  readonly node: Promise<Devnode>;
  users: number;
}

/** The node of this worker, while a test file uses it. */
let shared: SharedNode | undefined;

/**
 * Starts a node for the tests of a file, in the process that runs them. It listens on a free port, is reset before
 * every test, and stops after the last. All calls in one worker share one node. Call it at the top of a file or suite.
 * What all tests need beyond the named accounts is prepared by `setup`.
 * @throws DevnodeError `invalid_options` if there are no hooks, or if the options differ from those of the running node
 * @example
 * ```ts
 * import { expect, test } from 'vitest';
 * import { useDevnode } from '@avm402/devnode/testing';
 *
 * const node = await useDevnode();
 *
 * test('a payment arrives', async () => {
 *   const { merchant } = node.accounts;
 *   const before = node.balance(merchant.address).microAlgos;
 *   await node.fund(merchant.address, 1_000_000n);
 *   expect(node.balance(merchant.address).microAlgos).toBe(before + 1_000_000n);
 * });
 * ```
 */
export async function useDevnode({ hooks, setup, ...options }: UseDevnodeOptions = {}): Promise<Devnode> {
  const { beforeEach, afterAll } = hooks ?? globalHooks() ?? (await vitestHooks());
  const used = join(options);
  afterAll(() => leave(used));
  const node = await used.node;
  beforeEach(setup ? await returningTo(setup, node) : () => node.reset());
  return node;
}

/** Runs the setup, and gives what returns to the state after it. */
async function returningTo(setup: (node: Devnode) => Promise<void>, node: Devnode): Promise<() => Promise<void>> {
  const prepare = async (): Promise<DevState & { readonly id: number }> => {
    await node.reset();
    await setup(node);
    const id = await node.snapshot();
    return { ...(await node.state()), id };
  };
  let prepared = await prepare();
  return async () => {
    const { id, impersonated, faults } = prepared;
    const now = await node.state();
    // A test may have reset the node itself, or another suite has set it up.
    if (!now.snapshots.some((snapshot) => snapshot.id === id)) {
      prepared = await prepare();
      return;
    }
    const known = new Set(faults.map((fault) => fault.id));
    for (const fault of now.faults) if (!known.has(fault.id)) await node.removeFault(fault.id);
    for (const address of now.impersonated) {
      if (!impersonated.includes(address)) await node.stopImpersonating(address);
    }
    await node.revert(id);
  };
}

function join(options: DevnodeOptions): SharedNode {
  shared ??= { options, node: startDevnode({ port: 0, ...options }), users: 0 };
  if (!isDeepStrictEqual(options, shared.options)) {
    throw new DevnodeError(
      'invalid_options',
      'this worker’s node already runs with other options; use the same options throughout a file',
    );
  }
  shared.users++;
  return shared;
}

async function leave(used: SharedNode): Promise<void> {
  used.users--;
  if (used.users > 0) return;
  if (shared === used) shared = undefined;
  const node = await used.node;
  await node.stop();
}

function globalHooks(): TestHooks | undefined {
  const { beforeEach, afterAll }: Partial<TestHooks> = globalThis as Partial<TestHooks>;
  return beforeEach && afterAll && { beforeEach, afterAll };
}

async function vitestHooks(): Promise<TestHooks> {
  if (process.env['VITEST'] !== undefined) return import('vitest');
  throw new DevnodeError(
    'invalid_options',
    'no test runner’s hooks are global here: pass { beforeEach, afterAll } as hooks',
  );
}
