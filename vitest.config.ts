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
    maxWorkers: 2,
    // A program that tests start often is compiled once: half of the work of starting it.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url)) },
  },
};

const PURE = '{core,algorand,avm,teal}';
const OTHERS = ['**/node_modules/**', '**/dist/**', '**/*.soak.test.ts'];
const EVERYDAY = [...OTHERS, '**/*.ci.test.ts'];

export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    projects: [
      {
        extends: true,
        // Nothing in them outlives a call, so their files share a worker.
        test: { name: 'unit', isolate: false, include: [`packages/${PURE}/test/**/*.test.ts`], exclude: EVERYDAY },
      },
      {
        extends: true,
        test: {
          name: 'node',
          include: ['{packages,apps,tools}/*/test/**/*.test.ts', 'tools/test/**/*.test.ts'],
          exclude: [...EVERYDAY, `packages/${PURE}/**`],
        },
      },
      { extends: true, test: { name: 'stack', include: ['e2e/**/*.test.ts'], exclude: EVERYDAY } },
      {
        extends: true,
        test: { name: 'ci', include: ['{packages,apps,tools,e2e,bench}/**/*.ci.test.ts'], exclude: OTHERS },
      },
    ],
  },
});
