import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { Server } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { createAlgodClient } from '@avm402/algorand/algod';
import { parseAccount } from '@avm402/algorand/account';
import { createPayingFetch, settlementOf } from '@avm402/client';
import { type Devnode, startDevnode } from '@avm402/devnode';
import { createFacilitator, createFacilitatorApp } from '@avm402/facilitator';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually, listen } from './support/shop.ts';

const page = readFileSync(fileURLToPath(new URL('../../../docs/frameworks.md', import.meta.url)), 'utf8');
const starts = [...page.matchAll(/^## ([^\n]+)\n+```ts\n(.*?)^```$/gms)].map(([, name = '', code = '']) => ({
  name,
  code,
}));
/** Programs that have a name, because others import them or because of what they end in. */
const files = [...page.matchAll(/^```[tj]s (\S+)\n(.*?)^```$/gms)].map(([, name = '', code = '']) => ({ name, code }));

/** What a program exports that a host serves. */
interface Exported {
  readonly GET?: (request: Request, context: object) => Promise<Response>;
  readonly default?: { readonly fetch: (request: Request) => Promise<Response> };
}

let node: Devnode;
let folder: string;
/** The servers that the programs have started. */
const started: Server[] = [];
const ending: (() => Promise<unknown>)[] = [];

/** Lets a program listen at any port instead of the one that it names. */
function listenAnywhere(): void {
  // oxlint-disable-next-line typescript/unbound-method
  const listenAt = Server.prototype.listen;
  vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...[first, ...rest]: unknown[]) {
    const isProgram =
      first === 4024 || (typeof first === 'object' && first !== null && Reflect.get(first, 'port') === 4024);
    if (isProgram) started.push(this);
    return Reflect.apply(listenAt, this, isProgram ? [{ port: 0, host: '127.0.0.1' }, ...rest] : [first, ...rest]);
  });
}

beforeAll(async () => {
  folder = await mkdtemp(fileURLToPath(new URL('./written-', import.meta.url)));
  ending.push(() => rm(folder, { recursive: true }));
  node = await startDevnode({ port: 0, network: 'testnet' });
  ending.push(() => node.stop());
  const { facilitator: sponsor, merchant } = node.accounts;
  const facilitator = createFacilitator({
    networks: [{ algods: [createAlgodClient({ url: node.url, token: node.token })] }],
    sponsorship: { account: parseAccount(sponsor.privateKey), payTo: [merchant.address] },
  });
  ending.push(() => facilitator.close());
  const app = createFacilitatorApp(facilitator);
  ending.push(() => app.close());
  vi.stubEnv('FACILITATOR_URL', await app.listen({ host: '127.0.0.1', port: 0 }));
  vi.stubEnv('AVM_ADDRESS', merchant.address);
  listenAnywhere();
}, 60_000);
afterAll(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  for (const server of started) server.close();
  for (const end of ending.toReversed()) await end();
});

/** Runs a program, and tells where it listens. */
async function run(name: string, code: string): Promise<string> {
  const file = join(folder, `${name.replaceAll(/\W/g, '-')}.ts`);
  await writeFile(file, code);
  const before = started.length;
  const exported = (await import(file)) as Exported;
  if (exported.default) return served(exported.default.fetch);
  await eventually(() => started[before]?.listening).toBe(true);
  const address = started[before]?.address();
  if (typeof address !== 'object' || address === null) throw new Error(`${name} listens nowhere`);
  return `http://127.0.0.1:${address.port}`;
}

function served(fetchIt: (request: Request) => Promise<Response>): Promise<string> {
  const listener = getRequestListener(fetchIt);
  return listen((request, response) => void listener(request, response));
}

/** Pays a URL, and returns what was bought. */
async function buy(url: string): Promise<unknown> {
  expect((await fetch(url)).status).toBe(402);
  const pay = createPayingFetch({
    account: parseAccount(node.accounts.payer.privateKey),
    networks: { 'algorand:*': { url: node.url, token: node.token } },
  });
  const response = await pay(url);
  expect([response.status, settlementOf(response)?.success]).toEqual([200, true]);
  return response.json();
}

describe('docs/frameworks.md', () => {
  it('has a start for every framework', () => {
    expect(starts.map(({ name }) => name)).toEqual([
      'Express',
      'Fastify',
      'Hono',
      'node:http',
      'Koa',
      'Request and Response',
    ]);
    for (const { code } of starts) expect(code.match(/^.+$/gm)?.length).toBeLessThanOrEqual(12);
  });

  it.each(starts)('sells with $name as it says', async ({ name, code }) => {
    expect(await buy(`${await run(name, code)}/weather`)).toEqual({ weather: 'sunny' });
  });

  it('sells with two route handlers of Next that share a seller', async () => {
    const routes: Exported[] = [];
    for (const { name, code } of files.filter((file) => file.name.startsWith('app/'))) {
      await mkdir(join(folder, dirname(name)), { recursive: true });
      await writeFile(join(folder, name), code);
      routes.push((await import(join(folder, name))) as Exported);
    }
    const [, weather, map] = routes.map(({ GET }) => GET);
    const params = Promise.resolve({ city: 'oslo' });
    const url = await served(async (request) => {
      const route = request.url.endsWith('/map/oslo') ? map : weather;
      return route?.(request, { params }) ?? new Response('', { status: 404 });
    });
    expect(await buy(`${url}/weather`)).toEqual({ weather: 'sunny' });
    expect(await buy(`${url}/map/oslo`)).toEqual({ map: 'oslo' });
  });

  it('sells from CommonJS', async () => {
    const { code = '' } = files.find(({ name }) => name === 'seller.cjs') ?? {};
    const file = join(folder, 'seller.cjs');
    await writeFile(file, code.replace('listen(4024)', 'listen(0, function () { console.log(this.address().port); })'));
    const seller = spawn(process.execPath, [file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    ending.push(async () => void seller.kill());
    const [port] = (await once(seller.stdout, 'data')) as [Buffer];
    expect(await buy(`http://127.0.0.1:${port.toString().trim()}/weather`)).toEqual({ weather: 'sunny' });
  });
});
