import { relative } from 'node:path';

/** A test that ran: its file in the repository and its full name, or only the file if none of its tests could run. */
export interface TestRun {
  readonly test: string;
  readonly passed: boolean;
}

/** Reasons why tests can't pass on a version, by the beginning of the tests' names. */
export type Exceptions = Readonly<Record<string, string>>;

export interface Outcome {
  readonly passed: number;
  /** Failed tests that no exception covers. */
  readonly failed: readonly string[];
  /** Exceptions that are not needed: some of their tests passed, or none failed. */
  readonly needless: readonly string[];
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Reads Vitest's JSON report. */
export function parseReport(json: string, root: string): TestRun[] {
  const { testResults } = JSON.parse(json) as Report;
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const path = relative(root, name);
    const ran = assertionResults.filter((test) => test.status === 'passed' || test.status === 'failed');
    if (ran.length === 0) return [{ test: path, passed: status === 'passed' }];
    return ran.map((test) => ({ test: `${path} > ${test.fullName}`, passed: test.status === 'passed' }));
  });
}

/** The failures that no exception covers, and the exceptions that the files that ran did not need. */
export function outcomeOf(runs: readonly TestRun[], exceptions: Exceptions): Outcome {
  const excepted = Object.keys(exceptions);
  const passed = runs.filter((run) => run.passed).map(({ test }) => test);
  const failed = runs.filter((run) => !run.passed).map(({ test }) => test);
  const files = new Set(runs.map(({ test }) => fileOf(test)));
  return {
    passed: passed.length,
    failed: failed.filter((test) => !excepted.some((beginning) => test.startsWith(beginning))),
    needless: excepted.filter(
      (beginning) =>
        files.has(fileOf(beginning)) &&
        (passed.some((test) => test.startsWith(beginning)) || !failed.some((test) => test.startsWith(beginning))),
    ),
  };
}

const fileOf = (test: string): string => test.split(' > ')[0] ?? test;
