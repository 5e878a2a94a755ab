import { fileURLToPath } from 'node:url';
import everyday from './vitest.config.ts';

const setup = fileURLToPath(new URL('tools/nodes/src/node-20.setup.ts', import.meta.url));

/** For the Vitest that runs on Node 20. What imports Vitest gets the one that runs, when it is inlined. */
export default {
  ...everyday,
  test: { ...everyday.test, setupFiles: [setup], server: { deps: { inline: ['@fast-check/vitest'] } } },
};
