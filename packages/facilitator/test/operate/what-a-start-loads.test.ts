import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

// The app is made and asked for its metrics, so that what is loaded later is seen to be.
const PROGRAM = `
  import { Module } from 'node:module';
  import { createFacilitatorApp } from './src/http/app.ts';
  import { Metrics } from './src/observe/metrics.ts';
  import './src/operate/start-facilitator.ts';
  const loaded = () => {
    const names = Object.keys(Module._cache).map((file) => /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(file)?.[1]);
    return [...new Set(names)];
  };
  const metrics = new Metrics();
  const app = createFacilitatorApp({}, { metrics });
  await app.ready();
  const atStart = loaded();
  await metrics.text();
  app.close();
  console.log(JSON.stringify({ atStart, later: loaded() }));
`;

it('a start loads no compiler of schemas, no telemetry and no PostgreSQL', async () => {
  const node = ['--conditions', '@avm402/source', '--input-type=module', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: new URL('../..', import.meta.url) });
  const { atStart, later } = JSON.parse(stdout) as Record<'atStart' | 'later', string[]>;
  expect(atStart).toContain('prom-client');
  for (const name of ['ajv', '@fastify/ajv-compiler', '@opentelemetry/api', '@opentelemetry/sdk-trace', 'pg']) {
    expect(atStart).not.toContain(name);
  }
  expect(later).toContain('@opentelemetry/api');
});
