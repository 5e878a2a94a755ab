import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { OTHER_NODES } from '@avm402/nodes/suite';

const root = fileURLToPath(new URL('../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly steps: readonly Step[];
  readonly 'timeout-minutes': number;
  readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>> };
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflow = (file: string): Workflow =>
  parse(readFileSync(`${root}.github/workflows/${file}`, 'utf8')) as Workflow;
const stepsOf = ({ jobs }: Workflow): readonly Step[] => Object.values(jobs).flatMap(({ steps }) => steps);

describe.each(readdirSync(`${root}.github/workflows`))('the workflow %s', (file) => {
  it('runs scripts that there are, and actions of a version', () => {
    const steps = stepsOf(workflow(file));
    const called = steps.flatMap(({ run = '' }) => /^npm (?:run )?([\w:]+)/.exec(run)?.[1] ?? []);
    expect(called.length).toBeGreaterThan(0);
    expect(called.filter((name) => scripts[name] === undefined)).toEqual([]);
    expect(steps.flatMap(({ uses }) => uses ?? []).filter((action) => !/@v\d+$/.test(action))).toEqual([]);
  });

  it('ends', () => {
    const limits = Object.values(workflow(file).jobs).map((job) => job['timeout-minutes']);
    expect(limits.filter((minutes) => !(minutes <= 90))).toEqual([]);
  });
});

it('the tests of the packages run on each other version of Node that they promise', () => {
  const { nodes } = workflow('ci.yml').jobs;
  expect(nodes?.strategy?.matrix).toEqual({ node: OTHER_NODES });
  expect(nodes?.steps.at(-1)?.run).toBe('npm run soak:nodes -- ${{ matrix.node }}');
});

it('the matrix of makes runs against the latest of all stock packages that it names, each night', () => {
  const steps = workflow('ci.yml').jobs['newest']?.steps.map(({ run }) => run ?? '') ?? [];
  const change = steps.find((run) => run.startsWith('sed -i ')) ?? '';
  const changed = spawnSync(change.replace('sed -i ', 'sed '), { shell: true, cwd: root, encoding: 'utf8' }).stdout;
  const { catalog } = parse(changed) as { catalog: Readonly<Record<string, string>> };
  const makes = readFileSync(`${root}e2e/interop/makes.ts`, 'utf8');
  const named = new Set(makes.match(/@x402-newest\/\w+|@x402\/avm(?=[/'])/g));
  expect(named.size).toBe(4);
  for (const name of named) expect(catalog[name]).toMatch(/^(?:npm:@x402\/\w+@)?latest$/);
  expect(steps).toContain('npx pnpm install --no-lockfile');
  expect(steps.at(-1)).toContain('e2e/interop');
});

it('what tests a change may only read', () => {
  const ci = workflow('ci.yml');
  expect(ci.permissions).toEqual({ contents: 'read' });
  expect(JSON.stringify(ci)).not.toContain('secrets.');
});

it('a release is published with provenance, after everything has passed', () => {
  const release = workflow('release.yml');
  const steps = stepsOf(release);
  expect(release.permissions).toMatchObject({ 'id-token': 'write' });
  const publishing = steps.findIndex(({ with: given }) => given?.['publish'] === 'npx changeset publish');
  expect(steps[publishing]?.env).toMatchObject({ NPM_CONFIG_PROVENANCE: 'true' });
  expect(steps.findIndex(({ run }) => run === 'npm run ci')).toBeLessThan(publishing);
  expect(steps.findIndex(({ run }) => run?.startsWith('node tools/name-repository.ts'))).toBeLessThan(publishing);
});
