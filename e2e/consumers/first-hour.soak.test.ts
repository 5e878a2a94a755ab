import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { developmentAccounts } from '@avm402/devnode';
import { startStack, type Stack } from '@avm402/stack';
import { freePort } from '@avm402/stack/free-port';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { blocksIn, brokenPromise, commandsIn, pageText, sectionOf, shownCommandsIn } from '../documentation/pages.ts';
import { Newcomer } from './newcomer.ts';
import { type Registry, serveTarballs } from './registry.ts';

const { facilitator: sponsor, merchant, payer } = developmentAccounts();
/** The registry of the packages that are not ours. */
const REGISTRY = process.env['npm_config_registry'] ?? 'https://registry.npmjs.org/';
/** How long a seller may take to listen, on a machine that does much else. */
const SOON = { timeout: 60_000, interval: 500 };
const QUIET = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_prefer_offline: 'true',
};
const START = pageText('docs/start.md');
const MCP = pageText('docs/mcp.md');
const OPERATING = pageText('docs/facilitator/operating.md');

/** Has the tarballs where docs/install.md puts them, beside the folders of those who are new. */
let world: string;
let tarballs: string;
let registry: Registry;
/** The programs of `npm run dev`, at other ports. */
let stack: Stack;
let ports: ReadonlyMap<number, number>;

beforeAll(async () => {
  world = mkdtempSync(join(inject('consumers'), 'first-hour-'));
  mkdirSync(join(world, 'cache'));
  // What this machine has downloaded before; not the programs that npx keeps, which may be of an earlier run.
  const cache = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();
  mkdirSync(join(cache, '_cacache'), { recursive: true });
  symlinkSync(join(cache, '_cacache'), join(world, 'cache', '_cacache'));
  tarballs = join(world, 'avm402', 'tarballs');
  cpSync(inject('tarballs'), tarballs, { recursive: true });
  registry = await serveTarballs(tarballs, REGISTRY);
  stack = await startStack();
  const portOf = ({ url }: { readonly url: string }): number => Number(new URL(url).port);
  ports = new Map([
    [4001, portOf(stack.node)],
    [4021, portOf(stack.weather)],
    [4022, portOf(stack.facilitator)],
    [4024, await freePort(20_000 + (process.pid % 12_000))],
  ]);
});
afterAll(async () => {
  await stack.stop();
  registry[Symbol.dispose]();
});

/** Somebody new, in an empty folder. */
function somebody(name: string, at = ports, knows: Readonly<Record<string, string>> = {}): Newcomer {
  const npm = { npm_config_registry: registry.url, npm_config_cache: join(world, 'cache'), ...QUIET };
  // The commands look for a node at port 4001.
  const node = { ALGOD_URL: `http://127.0.0.1:${at.get(4001)}` };
  return new Newcomer({ folder: join(world, name), ports: at, knows, environment: { ...npm, ...node, NO_COLOR: '1' } });
}

it('a seller: docs/install.md, then docs/start.md', async () => {
  await using seller = somebody('seller');
  const [, install = ''] = blocksIn(pageText('docs/install.md'), 'sh');
  await seller.types(install);
  await seller.types(blocksIn(START, 'sh').join(''));
  const sell = sectionOf(START, '## Sell');
  seller.saves('seller.mjs', blocksIn(sell, 'ts').join(''));
  await seller.starts('node seller.mjs', /^/);
  const [curl = '', pay = ''] = commandsIn(sell, 'curl', 'npx');
  await expect.poll(() => seller.types(curl).catch(String), SOON).toContain('402 Payment Required');
  expect(await seller.types(pay)).toMatch(/settlement .* confirmed .*to get to the other side/s);
});

it('a seller with another framework: docs/frameworks.md', async () => {
  await using seller = somebody('seller-with-fastify');
  await seller.types('npm install avm402 @avm402/server fastify');
  await seller.types(blocksIn(START, 'sh').join(''));
  seller.saves('seller.mjs', blocksIn(sectionOf(pageText('docs/frameworks.md'), '## Fastify'), 'ts').join(''));
  await seller.starts('node seller.mjs', /^/);
  const pay = 'npx avm402 pay http://127.0.0.1:4024/weather';
  await expect.poll(() => seller.types(pay).catch(String), SOON).toMatch(/confirmed .*sunny/s);
});

it('a buyer: the client’s README, docs/start.md, the command’s README', async () => {
  await using buyer = somebody('buyer');
  await buyer.types(blocksIn(pageText('packages/client/README.md'), 'sh').join(''));
  await buyer.types(blocksIn(START, 'sh').join(''));
  const program = blocksIn(sectionOf(START, '## Buy'), 'ts').join('');
  buyer.saves('buyer.mjs', program);
  expect(brokenPromise(program, await buyer.types('node buyer.mjs'))).toBeUndefined();
  const command = pageText('packages/cli/README.md');
  for (const typed of blocksIn(command, 'sh')) await buyer.types(typed);
  await buyer.sees(shownCommandsIn(command));
});

/** What a host does with an entry of its configuration, and its agent with the tools. */
async function agentOf(host: Newcomer, environment: Record<string, string>): Promise<Client> {
  const [configuration = ''] = blocksIn(MCP, 'json');
  const { command, args, env } = JSON.parse(configuration).mcpServers.avm402;
  expect(Object.keys(env)).toEqual(Object.keys(environment));
  const agent = new Client({ name: 'host', version: '1.0.0' });
  // A host passes on what the configuration names, not the words in its user's shell.
  const shell = { ...host.environment, AVM_MNEMONIC: '', ...environment };
  await agent.connect(new StdioClientTransport({ command, args, cwd: host.folder, env: shell }));
  return agent;
}

it('an agent: docs/mandates.md gives it a budget, docs/mcp.md the means to pay', async () => {
  await using owner = somebody('agent');
  await owner.types('npm install --global avm402');
  await owner.types(blocksIn(START, 'sh').join(''));
  const [file, create] = shownCommandsIn(pageText('docs/mandates.md'));
  if (!file || !create) throw new Error('docs/mandates.md shows no mandate');
  await owner.sees([file, create]);
  const key = /^AVM_PRIVATE_KEY {2}(\S+)$/m.exec(readFileSync(join(owner.folder, 'agent.txt'), 'utf8'))?.[1] ?? '';
  const agent = await agentOf(owner, { AVM_PRIVATE_KEY: key, ALGOD_URL: stack.node.url, ALGOD_TOKEN: NODE_TOKEN });
  const { tools } = await agent.listTools();
  const { properties } = tools.find(({ name }) => name === 'pay')?.inputSchema ?? {};
  expect(properties).toMatchObject({ maxPrice: { description: expect.stringContaining('most') } });
  const pay = { name: 'pay', arguments: { url: `${stack.weather.url}/weather` } };
  expect(await agent.callTool(pay)).toMatchObject({ content: [{}, { text: expect.stringContaining('"report"') }] });
  await agent.close();
});

it('docs/mcp.md: a program is the host, and another one sells a tool', async () => {
  await using maker = somebody('maker');
  await maker.types(blocksIn(MCP, 'sh').join(''));
  await maker.types(blocksIn(START, 'sh').join(''));
  await maker.types(
    `export AGENT_JOURNAL=agent.jsonl ALGOD_URL=${stack.node.url} FACILITATOR_URL=${stack.facilitator.url}`,
  );
  maker.saves('host.mjs', blocksIn(MCP, 'ts').join(''));
  for (const name of ['forecast.ts', 'buyer.ts']) maker.saves(name, blocksIn(MCP, `ts ${name}`).join(''));
  for (const name of ['host.mjs', 'buyer.ts']) {
    const program = readFileSync(join(maker.folder, name), 'utf8');
    expect(brokenPromise(program, await maker.types(`node ${name}`))).toBeUndefined();
  }
});

it.each([
  { page: 'docs/start.md', part: '## Test', passed: 1 },
  { page: 'docs/devnode/dapps.md', part: '## A contract', passed: 1 },
  { page: 'docs/devnode/algokit-utils.md', part: '# With algokit-utils', passed: 2 },
  { page: 'docs/devnode/x402.md', part: '## In a test', passed: 4 },
])('a tester: $page', async ({ page, part, passed }) => {
  await using tester = somebody(`tester-of-${page.replaceAll(/\W/g, '-')}`);
  const text = sectionOf(`\n${pageText(page)}`, part);
  const [file = 'any.test.ts'] = /[\w-]+\.test\.ts(?=`)/.exec(text) ?? [];
  tester.saves(file, blocksIn(text, 'ts')[0] ?? '');
  for (const command of [...commandsIn(text, 'npm'), ...blocksIn(text, 'sh')]) await tester.types(command);
  expect(await tester.types('npx vitest run')).toContain(`Tests  ${passed} passed`);
});

it('an operator: docs/facilitator.md, then metrics, ledger and backup of docs/facilitator/operating.md', async () => {
  const port = await freePort(10_000 + (process.pid % 10_000));
  const knows = { SPONSOR_PRIVATE_KEY: sponsor.privateKey, SPONSOR_PAY_TO: merchant.address };
  await using operator = somebody('operator', new Map([...ports, [4022, port]]), knows);
  const page = pageText('docs/facilitator.md');
  const [first = '', check = '', withFile = ''] = blocksIn(page, 'sh');
  const lines = first.trimEnd().split('\n');
  await operator.types(`export PORT=${port}\n${lines.slice(0, -1).join('\n')}`);
  expect(await operator.types(check)).not.toMatch(/^problem/m);
  const file = blocksIn(page, 'ini').join('');
  operator.saves(/--config (\S+)/.exec(withFile)?.[1] ?? '', file);
  expect(await operator.types(withFile)).not.toMatch(/^problem/m);
  await operator.starts(lines.at(-1) ?? '', /^avm402-facilitator listening on/m);
  expect(await operator.types('curl -s http://127.0.0.1:4022/ready')).toContain('"status":"ready"');
  expect(await operator.types('curl -s http://127.0.0.1:4022/metrics')).toContain('avm402_sponsor_payments_left');
  await operator.types('npm install avm402 @avm402/server express');
  await operator.types(blocksIn(START, 'sh').join(''));
  operator.saves('seller.mjs', blocksIn(START, 'ts')[0] ?? '');
  await operator.starts('node seller.mjs', /^/);
  const [pay = ''] = commandsIn(sectionOf(START, '## Sell'), 'npx');
  await expect.poll(() => operator.types(pay).catch(String), SOON).toContain('confirmed');
  const ledger = blocksIn(sectionOf(OPERATING, '## Ledger'), 'sh').join('');
  expect(await operator.types(ledger)).toContain(',1,10000,');
  const [backup = '', restore = ''] = blocksIn(sectionOf(OPERATING, '## Backup'), 'sh');
  await operator.types(backup);
  await operator.types(pay);
  await operator.stops();
  await operator.types(restore);
  // The second payment came after the backup.
  const restored = await operator.types('npx avm402-facilitator settlements');
  expect(restored.match(/,confirmed,/g)).toHaveLength(1);
});

it('a coding agent: the tarballs, and what llms.txt in one of them says', async () => {
  const first = 21_000 + (process.pid % 11_000);
  const [node, facilitator, seller] = [await freePort(first), await freePort(first + 100), await freePort(first + 200)];
  const own = new Map([...ports, [4001, node], [4022, facilitator], [4024, seller]]);
  const knows = { SPONSOR_PRIVATE_KEY: sponsor.privateKey, AVM_ADDRESS: merchant.address };
  await using agent = somebody('coding-agent', own, knows);
  cpSync(tarballs, agent.folder, { recursive: true });
  const page = await agent.types('tar -xzOf avm402-[0-9]*.tgz package/llms.txt');
  const [inRegistry, nodeOf, access, facilitatorOf, sellerOf, pay] = blocksIn(page, 'sh').join('').split('\n');
  const inTarballs = commandsIn(page, 'npm install').find((command) => command.includes('.tgz'));
  expect([inRegistry, inTarballs]).toEqual([expect.stringContaining('avm402'), expect.any(String)]);
  const [sell = '', buy = '', test = ''] = blocksIn(page, 'ts');
  agent.saves('seller.mjs', sell);
  await agent.types(inTarballs ?? '');
  const banner = await agent.starts(
    nodeOf?.replace('avm402-devnode', `avm402-devnode --port ${node}`) ?? '',
    /listening/,
  );
  for (const value of Object.values(knows)) expect(banner).toContain(value);
  await agent.types(access ?? '');
  await agent.starts(`PORT=${facilitator} ${facilitatorOf}`, /listening/);
  await agent.starts(sellerOf ?? '', /^/);
  await expect.poll(() => agent.types(pay ?? '').catch(String), SOON).toMatch(/confirmed .*joke/s);
  agent.saves('buyer.mjs', buy.replace('http://127.0.0.1:4021/weather', 'http://127.0.0.1:4024/joke'));
  await agent.types(`export AVM_MNEMONIC='${payer.mnemonic}'`);
  expect(await agent.types('node buyer.mjs')).toMatch(/joke: .*\n[A-Z2-7]{52}\n/);
  agent.saves('gift.test.ts', test);
  for (const command of commandsIn(page, 'npm install -D')) await agent.types(command);
  expect(await agent.types('npx vitest run')).toContain('Tests  1 passed');
});
