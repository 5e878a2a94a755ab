import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EXCEPTIONS } from '../src/exceptions.ts';
import { outcomeOf, parseReport } from '../src/outcome.ts';
import { OTHER_NODES, suitesOf, testsThatAskNode } from '../src/suite.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('the tests on another version of Node', () => {
  it('are those of each package that promises it', () => {
    const everywhere = suitesOf(20);
    expect(everywhere).toEqual(expect.arrayContaining(['core', 'client', 'server', 'devnode'].map(testsOf)));
    expect(everywhere).not.toContain(testsOf('facilitator'));
    expect(suitesOf(22)).toEqual(expect.arrayContaining(everywhere));
    expect(suitesOf(22)).not.toContain(testsOf('facilitator'));
  });

  it('are, where no version is named, what asks something of Node in those that promise no older one', () => {
    const [oldest, newer] = OTHER_NODES.map(testsThatAskNode);
    const seller = testsOf('server');
    expect(oldest).toEqual(expect.arrayContaining([`${seller}hosts/`, 'packages/devnode/test/cli.test.ts']));
    expect(oldest).not.toContain('packages/core/test/price.test.ts');
    expect(newer?.filter((test) => !test.startsWith(seller) && !test.startsWith(testsOf('console')))).toEqual([]);
  });

  it.each(OTHER_NODES)("are in files that exist, where they can't pass (Node %i)", (version) => {
    const files = Object.keys(EXCEPTIONS[version]).map((test) => test.split(' > ')[0] ?? '');
    expect(files.filter((file) => !existsSync(root + file))).toEqual([]);
  });

  it('count as failed unless they are excepted, and an exception counts as needless once it passes', () => {
    const report = {
      testResults: [
        ran('a.test.ts', ['adds', 'passed'], ['keeps in SQLite', 'failed'], ['drops in SQLite', 'failed']),
        ran('b.test.ts', ['adds', 'failed'], ['waits', 'skipped']),
        ran('c.test.ts', ['adds', 'passed'], ['keeps', 'failed']),
        { ...ran('d.test.ts'), status: 'failed' },
        { ...ran('e.test.ts'), status: 'failed' },
      ],
    };
    const exceptions = {
      'a.test.ts > keeps': 'why',
      'c.test.ts': 'why',
      'b.test.ts > gone': 'why',
      'd.test.ts': 'why',
      'not-run.test.ts': 'why',
    };
    expect(outcomeOf(parseReport(JSON.stringify(report), '/repository'), exceptions)).toEqual({
      passed: 2,
      failed: ['a.test.ts > drops in SQLite', 'b.test.ts > adds', 'e.test.ts'],
      needless: ['c.test.ts', 'b.test.ts > gone'],
    });
  });
});

const testsOf = (name: string): string => `packages/${name}/test/`;

function ran(name: string, ...tests: readonly (readonly [fullName: string, status: string])[]) {
  return {
    name: `/repository/${name}`,
    status: 'passed',
    assertionResults: tests.map(([fullName, status]) => ({ fullName, status })),
  };
}
