import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAccount } from '@avm402/algorand/account';
import { createPayingFetch, settlementOf } from '@avm402/client';
import { developmentAccounts, type Devnode, startDevnode } from '@avm402/devnode';
import { createSeller } from '@avm402/server';
import { freePort } from '@avm402/stack/free-port';
import { type PostgresServer, startPostgres } from '@avm402/testkit/postgres';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { blocksIn, commandsIn, pageText, sectionOf } from '../documentation/pages.ts';
import { served } from '../served.ts';
import { root as repository } from './dockerfile.ts';
import { atRoot, Service } from './service.ts';

const PAGE = pageText('docs/deploy.md');
const SERVICE = sectionOf(PAGE, '## As a service of systemd');
const { facilitator: sponsor, merchant, payer } = developmentAccounts();
const run = promisify(execFile);
const SOON = { timeout: 60_000, interval: 200 };

/** Stands in for `/`. */
const root = mkdtempSync(join(tmpdir(), 'avm402-machine-'));
const environmentFile = join(root, 'etc/avm402-facilitator.env');
let node: Devnode;
let postgres: PostgresServer;
let port: number;

beforeAll(async () => {
  for (const folder of ['opt', 'etc/systemd/system', 'var/lib/avm402-facilitator'])
    mkdirSync(join(root, folder), { recursive: true });
  chmodSync(root, 0o755);
  [node, postgres] = await Promise.all([startDevnode({ port: 0 }), startPostgres()]);
  port = await freePort(22_000 + (process.pid % 10_000));
});
afterAll(async () => {
  await Promise.all([node.stop(), postgres.stop()]);
  rmSync(root, { recursive: true });
});

/** Types a command of the page, in the repository. The node is in this process, so it must not wait. */
async function types(command: string): Promise<string> {
  const { stdout, stderr } = await run('sh', ['-c', atRoot(root, command)], { cwd: repository });
  return stdout + stderr;
}

/** Fills the file of variables, as the page says. */
function fill(variables: Readonly<Record<string, string>>): void {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(environmentFile, lines.join(''));
}

const url = (): string => `http://127.0.0.1:${port}`;
/** The path that Kubernetes asks. */
function probe(name: 'livenessProbe' | 'readinessProbe'): string {
  const [deployment] = parseAllDocuments(pageText('deploy/kubernetes.yaml'));
  return String(deployment?.getIn(['spec', 'template', 'spec', 'containers', 0, name, 'httpGet', 'path']));
}
const answers = async (path: string): Promise<number> =>
  (await fetch(url() + path).catch(() => undefined))?.status ?? 0;
const isReady = (): Promise<void> => expect.poll(() => answers(probe('readinessProbe')), SOON).toBe(200);

/** Somebody who sells through the facilitator, and a buyer; resolves to the TxID of each purchase. */
async function market(): Promise<{ readonly buys: () => Promise<string> } & AsyncDisposable> {
  const seller = createSeller({ facilitator: url() });
  const app = express().use(seller.middleware({ 'GET /joke': seller.price('$0.01', { payTo: merchant.address }) }));
  app.get('/joke', (_request, response) => void response.json({ joke: 'to get to the other side' }));
  const shop = await served(app);
  const pays = createPayingFetch({
    account: parseAccount(payer.mnemonic),
    networks: { 'algorand:*': { url: node.url, token: node.token } },
  });
  const buys = async (): Promise<string> => {
    const response = await pays(`${shop.url}/joke`);
    expect(response.status).toBe(200);
    return settlementOf(response)?.transaction ?? '';
  };
  return { buys, [Symbol.asyncDispose]: () => shop.stop() };
}

it('as a service of systemd: its steps, a crash, a new release and a restored backup', async () => {
  const [setup = '', deploy = '', ...rest] = (blocksIn(SERVICE, 'sh')[0] ?? '').trim().split('\n');
  // Every run of the tests has done it.
  expect(setup).toBe('node tools/run.mjs setup');
  await types(deploy);
  const [enable, reload, ...files] = rest.toReversed();
  expect([reload, enable]).toEqual(['systemctl daemon-reload', 'systemctl enable --now avm402-facilitator']);
  for (const command of files.toReversed()) await types(command);
  expect((statSync(environmentFile).mode & 0o777).toString(8)).toBe('600');

  const database = await postgres.createDatabase();
  const variables = {
    ALGOD_URL: node.url,
    ALGOD_TOKEN: node.token,
    PORT: `${port}`,
    LOG_LEVEL: 'warn',
    SPONSOR_PRIVATE_KEY: sponsor.privateKey,
    SPONSOR_PAY_TO: merchant.address,
    TRUSTED_PROXIES: '127.0.0.1',
    DATABASE_URL: database,
  };
  fill({ ...variables, DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' });
  const [check = ''] = commandsIn(SERVICE, 'node');
  await expect(types(check)).rejects.toMatchObject({ stderr: expect.stringMatching(/^problem +DATABASE_URL/m) });
  fill(variables);
  expect(await types(check)).toMatch(/^ok/m);

  const service = new Service(root, join(root, 'etc/systemd/system/avm402-facilitator.service'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => service.stop());
  service.start();
  await isReady();
  expect(await answers(probe('livenessProbe'))).toBe(200);
  const { buys } = stack.use(await market());
  const before = await buys();

  service.crash();
  await expect.poll(() => service.starts, SOON).toBe(2);
  await isReady();
  expect(await answers(`/settlements/${before}`)).toBe(200);

  // "A new release": backup, the new folder beside the old one, the check while the old one runs, SIGTERM, start.
  const backup = await postgres.copy();
  stack.defer(() => backup.stop());
  const folder = join(root, 'opt/avm402-facilitator');
  cpSync(folder, `${folder}-new`, { recursive: true, verbatimSymlinks: true });
  const checkOfNew = check.replace('/opt/avm402-facilitator', '/opt/avm402-facilitator-new');
  expect(await types(checkOfNew)).toMatch(/^ok/m);
  await service.stop();
  rmSync(folder, { recursive: true });
  cpSync(`${folder}-new`, folder, { recursive: true, verbatimSymlinks: true });
  service.start();
  await isReady();
  const after = await buys();
  expect(after).not.toBe(before);

  await service.stop();
  fill({ ...variables, DATABASE_URL: backup.urlOf(database) });
  service.start();
  await isReady();
  expect(await answers(`/settlements/${before}`)).toBe(200);
  // The payment came after the backup.
  expect(await answers(`/settlements/${after}`)).toBe(404);
  await buys();
  await service.stop();
});
