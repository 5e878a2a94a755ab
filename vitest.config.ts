import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests run from source, through the private export condition of the workspace packages. */
const conditions = ['@avm402/source', 'node'];

/** What all runs share: the everyday one, the long one, and that on Node 20. */
export const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes when it comes: a busy machine is no fault.
    expect: { poll: { timeout: 20_000 } },
    // Twice the cores of a small machine: tests wait for blocks and for programs that start.
    maxWorkers: 4,
    setupFiles: ['packages/core/test/longest-inputs.ts'],
    // A program that tests start often is compiled once: half of the work of starting it.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url)) },
  },
};

const PURE = '{core,algorand,avm,teal}';
/** Short forms of soaks that ask for nothing more than those do: a run that ends with the soak leaves them to it. */
export const SHORT_FORMS = [
  'e2e/attacks/rule-21-at-risk.test.ts',
  'e2e/channels/kills.ci.test.ts',
  'e2e/chaos/settlement.test.ts',
  'e2e/load/facilitator-load.ci.test.ts',
  'e2e/server-faults/server-faults.ci.test.ts',
  'packages/avm/test/mandate/thieves.test.ts',
  'packages/client/test/fault-run.test.ts',
  'packages/devnode/test/durable/killed-node{,.ci}.test.ts',
  'packages/devnode/test/rest/fuzz.test.ts',
  'packages/devnode/test/verify/program-fuzz.test.ts',
  'packages/facilitator/test/mandate-kills.test.ts',
  'packages/server/test/redemption-model.test.ts',
  'packages/teal/test/{application-fuzz,assembler/round-trip,fuzz,opcodes/any-input}.test.ts',
];
/** Folders whose files are nobody's tests. */
export const NO_TESTS = ['**/node_modules/**', '**/dist/**'];
const OTHERS = [...NO_TESTS, '**/*.soak.test.ts', ...(process.env['SOAK_FOLLOWS'] === 'true' ? SHORT_FORMS : [])];
const EVERYDAY = [...OTHERS, '**/*.ci.test.ts'];
/** Tests that measure memory or processor time, or change what their whole process has: they share no worker. */
export const ALONE = [
  'packages/client/test/{file-journal,long-lived-signal,endless-body}.test.ts',
  'packages/devnode/test/testing.test.ts',
  'packages/devnode/test/{block/block-store,codec/decode-group,codec/document,rest/limits}.test.ts',
  'packages/devnode/test/pool/{kept-memory,overflowing-blocks}.test.ts',
  // Hono's server for Node replaces the process's Request and Response.
  'packages/server/test/{frameworks,hosts/host-contract,hosts/metered-stream}.test.ts',
  'e2e/attacks/rule-19-signatures.test.ts',
];

export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    globalSetup: 'tools/compile-programs.ts',
    projects: [
      // Files of all but `alone` share a worker and what they import: nothing in them outlives its test.
      {
        extends: true,
        test: {
          name: 'unit',
          isolate: false,
          include: [`packages/${PURE}/test/**/*.test.ts`],
          exclude: EVERYDAY,
        },
      },
      {
        extends: true,
        test: {
          name: 'node',
          isolate: false,
          include: ['{packages,apps,tools}/*/test/**/*.test.ts', 'tools/test/**/*.test.ts'],
          exclude: [...EVERYDAY, ...ALONE, `packages/${PURE}/**`],
        },
      },
      {
        extends: true,
        test: { name: 'stack', isolate: false, include: ['e2e/**/*.test.ts'], exclude: [...EVERYDAY, ...ALONE] },
      },
      { extends: true, test: { name: 'alone', include: ALONE, exclude: EVERYDAY } },
      {
        extends: true,
        test: {
          name: 'ci',
          isolate: false,
          include: ['{packages,apps,tools,e2e,bench}/**/*.ci.test.ts'],
          exclude: OTHERS,
        },
      },
    ],
  },
});
