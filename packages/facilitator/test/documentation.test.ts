import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { NOT_LISTED } from '../src/discovery/not-listed.ts';
import { Callers } from '../src/index.ts';
import { startDevnode } from '@avm402/devnode';
import { afterAll, expect, it } from 'vitest';
import { killPrograms, run as runProgram, urlOf } from './program.ts';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): Promise<string> => readFile(new URL(`../${path}`, import.meta.url), 'utf8');

it('the log messages that docs/settlement.md explains are logged', async () => {
  const table = (await read('../../docs/settlement.md')).split('What the operator sees')[1] ?? '';
  const messages = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, message]) => message ?? '');
  const files = (await readdir(`${folder}/src`, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const source = (await Promise.all(files.map((name) => read(`src/${name}`)))).join('\n');
  expect(messages.length).toBeGreaterThan(3);
  for (const message of messages) expect(source).toContain(message);
});

it('the program in docs/facilitator.md runs', async () => {
  const node = await startDevnode({ port: 0 });
  const guide = await read('../../docs/facilitator.md');
  const program = /```ts\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const adapted = program.replace('http://127.0.0.1:4001', node.url).replace('settlements.sqlite', ':memory:');
  const shows = `${adapted}\nconsole.log(facilitator.networks.length);\nawait facilitator.close();`;
  const parameters = ['--input-type=module-typescript', '--eval', shows];
  const { stdout } = await run(process.execPath, parameters, { cwd: folder });
  expect(stdout).toBe('2\n');
  await node.stop();
});

it('docs/facilitator/operating.md explains every metric, with its type and labels', async () => {
  const guide = await read('../../docs/facilitator/operating.md');
  const rows = [...guide.matchAll(/^\| `avm402_(\w+)` +\| (\w+) +\| ([^|]*?) +\|/gm)];
  const explained = rows.map(([, name, type, labels = '']) => `${name} ${type} ${labels.replaceAll(/[` ]/g, '')}`);
  const source = await read('src/observe/metrics.ts');
  const declared = [...source.matchAll(/this\.#(counter|gauge|histogram)\('(\w+)', '[^']+'(?:, \[([^\]]*)\])?/g)];
  const known = declared.map(([, type, name, labels = '']) => `${name} ${type} ${labels.replaceAll(/[' ]/g, '')}`);
  expect(known.length).toBeGreaterThan(10);
  expect(explained.toSorted()).toEqual(known.toSorted());
});

it('docs/facilitator/discovery.md explains every reason why a resource is not listed, in the words of the answer', async () => {
  const guide = await read('../../docs/facilitator/discovery.md');
  const rows = [...guide.matchAll(/^\| `([a-z_]+)` +\| (.+?) +\|$/gm)].filter(
    ([, name = '']) => name.includes('_') || name === 'expired',
  );
  expect(Object.fromEntries(rows.map(([, reason, meaning]) => [reason, meaning]))).toEqual(NOT_LISTED);
});

it('the callers in docs/facilitator/callers.md are a file that is accepted', async () => {
  const guide = await read('../../docs/facilitator/callers.md');
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
  const callers = Callers.parse(example);
  expect(callers.find('Bearer of no key at all, which is long')).toBeUndefined();
});

afterAll(killPrograms);

it('an operator can do what the pages show, line by line, beside a facilitator that runs', async () => {
  const node = await startDevnode({ port: 0 });
  const place = await mkdtemp(join(tmpdir(), 'avm402-operator-'));
  const environment = {
    ALGOD_URL: node.url,
    ALGOD_TOKEN: node.token,
    AVM_PRIVATE_KEY: node.accounts.facilitator.privateKey,
    SPONSOR_PAY_TO: node.accounts.merchant.address,
    AVM_ADDRESS: node.accounts.merchant.address,
    SETTLEMENT_STORE: join(place, 'settlements.sqlite'),
    PORT: '0',
  };
  const url = await urlOf(runProgram(environment));
  for (const path of ['health', 'ready', 'metrics', 'supported'])
    expect((await fetch(`${url}/${path}`)).status).toBe(200);

  // What stands in for npx runs the program of this package.
  const program = `exec ${process.execPath} ${folder}bin/avm402-facilitator.js "$@"`;
  await writeFile(join(place, 'npx'), `#!/bin/sh\nshift\n${program}\n`, { mode: 0o755 });
  const guide = await read('../../docs/facilitator.md');
  const [, settings = ''] = /```ini\n([\s\S]*?)```/.exec(guide) ?? [];
  await writeFile(join(place, 'facilitator.env'), settings);
  const pages = `${guide}${await read('../../docs/facilitator/operating.md')}`;
  const blocks = [...pages.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  const lines = blocks.slice(1).flatMap((block) => block.trim().split('\n'));
  expect(lines.length).toBeGreaterThanOrEqual(4);
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const env = { ...environment, NODE_COMPILE_CACHE, PATH: `${place}:${PATH}` };
  // A line that fails rejects.
  for (const line of lines) await run('sh', ['-c', line], { cwd: place, env });
  expect(await readFile(join(place, 'march.csv'), 'utf8')).toMatch(/^recordedAt,/);
  // The page makes a copy, and puts it in the place of the store.
  const files = await readdir(place);
  expect(files).toContain('avm402-settlements.sqlite');
  expect(files).not.toContain('before-upgrade.sqlite');
  await node.stop();
  await rm(place, { recursive: true });
});
