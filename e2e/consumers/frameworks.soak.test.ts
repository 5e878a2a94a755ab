import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { developmentAccounts } from '@avm402/devnode';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { startProgram, type Program } from '@avm402/stack/program';
import { fencedBlocks } from '../documentation/pages.ts';
import { type ConsumerFolder, consumerFolder } from './packed.ts';

const running: Program[] = [];

/** The first lines of every framework's seller. */
const terms = `
import { createSeller, HTTPFacilitatorClient, x402ResourceServer } from '@avm402/server';
import { ExactAvmServer } from '@avm402/avm/exact/server';

const { FACILITATOR_URL, AVM_ADDRESS, AVM_NETWORK } = process.env;
const resources = new x402ResourceServer(new HTTPFacilitatorClient({ url: FACILITATOR_URL }));
resources.register(AVM_NETWORK, new ExactAvmServer());
const accepts = { scheme: 'exact', price: '$0.02', network: AVM_NETWORK, payTo: AVM_ADDRESS };
const routes = { 'GET /joke': { accepts, description: 'A joke' } };
const joke = { joke: 'to get to the other side' };
const listening = (port) => console.log('seller listening on http://127.0.0.1:' + port);
`;

const sellers = {
  express: `${terms}
import { paymentMiddleware } from '@avm402/server/express';
import express from 'express';

const app = express();
app.use(paymentMiddleware(routes, resources));
app.get('/joke', (_request, response) => response.json(joke));
const server = app.listen(0, '127.0.0.1', () => listening(server.address().port));
process.on('SIGTERM', () => server.close());
`,
  fastify: `${terms}
import { paymentMiddleware } from '@avm402/server/fastify';
import Fastify from 'fastify';

const app = Fastify();
app.addHook('onRequest', paymentMiddleware(createSeller({ server: resources }).pricedRoutes(routes)));
app.get('/joke', () => joke);
await app.listen({ host: '127.0.0.1', port: 0 });
listening(app.server.address().port);
process.on('SIGTERM', () => app.close());
`,
  hono: `${terms}
import { serve } from '@hono/node-server';
import { paymentMiddleware } from '@avm402/server/hono';
import { Hono } from 'hono';

const seller = createSeller({ server: resources, publicUrl: 'https://jokes.example' });
const app = new Hono().use(paymentMiddleware(seller.pricedRoutes(routes)));
app.get('/joke', (context) => context.json(joke));
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => listening(port));
process.on('SIGTERM', () => server.close());
`,
} as const;

let consumer: ConsumerFolder;

beforeAll(() => {
  consumer = consumerFolder();
  for (const [framework, seller] of Object.entries(sellers)) consumer.write(`${framework}.js`, seller);
  consumer.install({ express: '^5.0.0', fastify: '^5.0.0', hono: '^4.0.0', '@hono/node-server': '^2.0.0' });
});
afterAll(async () => {
  for (const program of running.toReversed()) await program.stop();
});

async function start(
  name: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Program> {
  const program = await startProgram({ name, command: args, environment });
  running.push(program);
  return program;
}

interface Market {
  readonly shop: Program;
  readonly facilitator: Program;
  /** The environment of a buyer. */
  readonly buyer: Record<string, string>;
}

/** A node, a facilitator and a seller, all of them packed. */
async function openMarket(framework: keyof typeof sellers = 'express'): Promise<Market> {
  const { facilitator: sponsor, merchant, payer } = developmentAccounts();
  const program = (scope: string, name: string): string =>
    join(consumer.path, `node_modules/@avm402/${scope}/bin/${name}.js`);
  const node = await start('avm402-devnode', [program('devnode', 'avm402-devnode'), '--port', '0']);
  const buyer = { AVM_PRIVATE_KEY: payer.privateKey, ALGOD_URL: node.url, ALGOD_TOKEN: NODE_TOKEN };
  const facilitator = await start('avm402-facilitator', [program('facilitator', 'avm402-facilitator')], {
    ...buyer,
    AVM_PRIVATE_KEY: sponsor.privateKey,
    SETTLEMENT_STORE: ':memory:',
    PORT: '0',
  });
  const supported = (await (await fetch(`${facilitator.url}/supported`)).json()) as { kinds: { network: string }[] };
  const shop = await start('seller', [join(consumer.path, `${framework}.js`)], {
    FACILITATOR_URL: facilitator.url,
    AVM_ADDRESS: merchant.address,
    AVM_NETWORK: supported.kinds.at(-1)?.network ?? '',
  });
  return { shop, facilitator, buyer };
}

it.each(['express', 'fastify', 'hono'] as const)(
  'the packed packages, installed by npm in an empty folder, sell with %s and buy',
  async (framework) => {
    const { shop, buyer } = await openMarket(framework);
    const printed = consumer.run('npx', ['avm402', 'pay', `${shop.url}/joke`, '--json'], buyer);
    expect(JSON.parse(printed)).toMatchObject({
      status: 200,
      body: { joke: 'to get to the other side' },
      settlement: { success: true, payer: developmentAccounts().payer.address },
    });
  },
);

/** A host of the SDK's that gives its agent `avm402 mcp`, and pays with it. */
const host = `
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const { PATH, AVM_PRIVATE_KEY, ALGOD_URL, ALGOD_TOKEN, JOKES } = process.env;
const env = { PATH, AVM_PRIVATE_KEY, ALGOD_URL, ALGOD_TOKEN };
const agent = new Client({ name: 'host', version: '1.0.0' });
await agent.connect(new StdioClientTransport({ command: 'npx', args: ['avm402', 'mcp', '--journal', 'agent.jsonl'], env }));
const { content } = await agent.callTool({ name: 'pay', arguments: { url: JOKES } });
console.log(content.map(({ text }) => text).join(' '));
await agent.close();
`;

it("an MCP host pays with the packed command alone, and for a packed seller's tools beside the protocol's SDK", async () => {
  const { shop, facilitator, buyer } = await openMarket();
  const sdk = ['@modelcontextprotocol/sdk@^1.32.2', 'zod@^4.0.0'];
  consumer.run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...sdk]);
  consumer.write('host.js', host);
  const paid = consumer.run('node', ['host.js'], { ...buyer, JOKES: `${shop.url}/joke` });
  expect(paid).toMatch(/settlement {2}\S+ confirmed .*to get to the other side/s);
  for (const name of ['forecast.ts', 'buyer.ts']) {
    const [program = ''] = fencedBlocks('docs/mcp.md', `ts ${name}`);
    consumer.write(name, program);
  }
  const { payer, merchant } = developmentAccounts();
  const environment = { AVM_MNEMONIC: payer.mnemonic, AVM_ADDRESS: merchant.address, FACILITATOR_URL: facilitator.url };
  expect(consumer.run('node', ['buyer.ts'], { ...buyer, ...environment })).toContain('Zürich: sunny');
});

it('the packed console serves its page, and its button pays a packed seller', async () => {
  const { shop, facilitator, buyer } = await openMarket();
  const program = join(consumer.path, 'node_modules/avm402-console/bin/avm402-console.js');
  const { url } = await start('avm402-console', [program], {
    ...buyer,
    FACILITATOR_URL: facilitator.url,
    RESOURCE_URL: `${shop.url}/joke`,
    PORT: '0',
  });
  const script = await (await fetch(`${url}/main.js`)).text();
  expect(script).toContain('avm402 console');
  const paid = (await (await fetch(`${url}/api/pay`, { method: 'POST' })).json()) as { readonly traceId: string };
  const { summary } = (await (await fetch(`${url}/api/payments/${paid.traceId}`)).json()) as {
    readonly summary: { readonly outcome: string };
  };
  expect(summary.outcome).toBe('settled');
});

it('each program tells its help and version', () => {
  for (const name of ['avm402', 'avm402-devnode', 'avm402-facilitator', 'avm402-console']) {
    expect(consumer.run('npx', [name, '--help'])).toMatch(/usage/i);
    expect(consumer.run('npx', [name, '--version'])).toMatch(/^\d+\.\d+\.\d+/);
  }
});
