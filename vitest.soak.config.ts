import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { NO_TESTS, shared } from './vitest.config.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The part of its random cases that a soak tries: `SOAK_SHARE`, or all. */
    readonly soakShare: number;
  }
}

/** What measures time, and what compiles into the repository: one at a time, with nothing beside them. */
const UNDISTURBED = ['e2e/{attacks/denial,turbo-cache}.soak.test.ts'];
/** What measures the memory or the processor time of its own process, which it shares with no other file. */
const ALONE = [
  'packages/devnode/test/{durable/restart,rest/fuzz,rest/limits}.soak.test.ts',
  'packages/server/test/{upfront,upfront-stream}.soak.test.ts',
];

/** Those that take half a minute or more beside others, the longest first; before them, what installs for all consumers. */
const LONG = `
  frameworks first-hour site created-project application-model next thieves mandate-kills kills settlement fault-run
  killed-node release journal-kill installation strict server-faults slow-kills languages compilers`
  .trim()
  .split(/\s+/);

/** Begins with the long ones, so that none of them is left over when the others have ended. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const index = LONG.indexOf(basename(moduleId, '.soak.test.ts'));
      return index === -1 ? LONG.length : index;
    };
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

function soakShare(): number {
  const { SOAK_SHARE = '1' } = process.env;
  const share = Number(SOAK_SHARE);
  if (share > 0 && share <= 1) return share;
  throw new Error(`SOAK_SHARE is ${SOAK_SHARE}: it must be a part of 1, such as 0.2`);
}

export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    provide: { soakShare: soakShare() },
    testTimeout: 600_000,
    // Hooks install what consumers need, from a registry that may be slow: npm waits 300 s for an answer before it asks again.
    hookTimeout: 600_000,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        // They wait for blocks, leases, programs and installations. A fourth would cost more than it fills: Node 20's tests run
        // beside them.
        test: {
          name: 'beside',
          maxWorkers: 3,
          isolate: false,
          globalSetup: 'e2e/consumers/pack.ts',
          include: ['{packages,apps,tools}/*/test/**/*.soak.test.ts', 'e2e/**/*.soak.test.ts'],
          exclude: [...NO_TESTS, ...UNDISTURBED, ...ALONE],
        },
      },
      { extends: true, test: { name: 'alone', maxWorkers: 3, include: ALONE, exclude: NO_TESTS } },
      {
        extends: true,
        test: {
          name: 'undisturbed',
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          include: UNDISTURBED,
          exclude: NO_TESTS,
        },
      },
    ],
  },
});
