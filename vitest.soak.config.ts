import { defineConfig } from 'vitest/config';
import { shared } from './vitest.config.ts';

/** Long runs that measure time or memory, or read the whole repository: one at a time, with nothing beside them. */
const ALONE = [
  'apps/site/test/site.soak.test.ts',
  'e2e/{installation,release,turbo-cache}.soak.test.ts',
  'e2e/{attacks/denial,load/facilitator-load}.soak.test.ts',
  'packages/devnode/test/{durable/restart,rest/fuzz,rest/limits}.soak.test.ts',
  'packages/server/test/upfront.soak.test.ts',
];
const exclude = ['**/node_modules/**', '**/dist/**'];

export default defineConfig({
  ...shared,
  test: {
    testTimeout: 600_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        // They mostly wait: for blocks, for leases, for programs to start.
        test: {
          name: 'beside',
          maxWorkers: 2,
          include: ['{packages,apps,tools}/*/test/**/*.soak.test.ts', 'e2e/**/*.soak.test.ts'],
          exclude: [...exclude, ...ALONE],
        },
      },
      {
        extends: true,
        test: { name: 'alone', maxWorkers: 1, sequence: { groupOrder: 1 }, include: ALONE, exclude },
      },
    ],
  },
});
