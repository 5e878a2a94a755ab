import { fileURLToPath } from 'node:url';
import { shared } from './vitest.config.ts';

const setup = fileURLToPath(new URL('tools/nodes/src/node-20.setup.ts', import.meta.url));

/** For the Vitest that runs on Node 20. What imports Vitest gets the one that runs, when it is inlined. */
export default {
  ...shared,
  test: {
    ...shared.test,
    include: ['packages/*/test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/*.{soak,ci}.test.ts'],
    setupFiles: [setup],
    server: { deps: { inline: ['@fast-check/vitest'] } },
  },
};
