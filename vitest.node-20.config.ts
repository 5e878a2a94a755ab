import { fileURLToPath } from 'node:url';
import { ALONE, NO_TESTS, shared } from './vitest.config.ts';

const setup = fileURLToPath(new URL('tools/nodes/src/node-20.setup.ts', import.meta.url));
const exclude = [...NO_TESTS, '**/*.{soak,ci}.test.ts'];

/** For the Vitest that runs on Node 20. */
export default {
  ...shared,
  test: {
    ...shared.test,
    // The soak runs beside it.
    maxWorkers: 2,
    setupFiles: [...shared.test.setupFiles, setup],
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          isolate: false,
          include: ['packages/*/test/**/*.test.ts'],
          exclude: [...exclude, ...ALONE],
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE.filter((path) => path.startsWith('packages/')), exclude },
      },
    ],
  },
};
