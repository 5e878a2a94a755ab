import { defineConfig } from 'vitest/config';
import { shared } from './vitest.config.ts';

/** The long runs, one file at a time so that none starves another of the two cores it counts on. */
export default defineConfig({
  ...shared,
  test: {
    include: ['{packages,apps,tools}/*/test/**/*.soak.test.ts', 'e2e/**/*.soak.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 600_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
