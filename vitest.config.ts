import { defineConfig } from 'vitest/config';

/** Tests run from source, through the private export condition of the workspace packages. */
export const conditions = ['@avm402/source', 'node'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    include: ['{packages,apps,tools}/*/test/**/*.test.ts', '{tools,bench}/test/**/*.test.ts', 'e2e/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/*.soak.test.ts'],
  },
});
