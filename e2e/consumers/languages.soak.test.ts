import { ExactAvmServer } from '@avm402/avm/exact/server';
import { createSeller, HTTPFacilitatorClient, x402ResourceServer } from '@avm402/server';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { launchChromium } from '@avm402/testkit/chromium';
import express from 'express';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Served, served } from '../served.ts';
import { fencedBlocks } from '../documentation/pages.ts';
import { type ConsumerFolder, consumerFolder } from './packed.ts';

const TYPESCRIPTS = { 5.9: 'npm:typescript@~5.9.0', '6.0': 'npm:typescript@~6.0.0', '7.0': 'npm:typescript@~7.0.0' };
const TYPES = { express: '^5.0.0', '@types/express': '^5.0.0', '@types/node': '^24.0.0' };
const [seller = '', buyer = ''] = fencedBlocks('docs/start.md', 'ts');
const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  skipLibCheck: true,
};

let stack: Stack;
let consumer: ConsumerFolder;
let environment: Record<string, string>;

beforeAll(async () => {
  stack = await startStack();
  environment = {
    AVM_MNEMONIC: stack.accounts.payer6.mnemonic,
    ALGOD_URL: stack.node.url,
    ALGOD_TOKEN: NODE_TOKEN,
    SOLD: stack.weather.url,
  };
  consumer = consumerFolder();
  const compilers = Object.entries(TYPESCRIPTS).map(([version, source]) => [`typescript-${version}`, source]);
  consumer.install({ ...TYPES, ...Object.fromEntries(compilers), esbuild: '^0.28.0', vite: '^8.0.0' });
});
afterAll(async () => {
  await stack.stop();
});

it.each(Object.keys(TYPESCRIPTS))('a strict program is well typed in TypeScript %s', (version) => {
  consumer.write('seller.ts', seller);
  consumer.write('buyer.ts', buyer);
  consumer.write('tsconfig.json', JSON.stringify({ compilerOptions: strict, files: ['seller.ts', 'buyer.ts'] }));
  const compiler = join('node_modules', `typescript-${version}`, 'bin/tsc');
  expect(consumer.run('node', [compiler, '--version'])).toContain(version);
  consumer.run('node', [compiler, '-p', '.']);
  consumer.write('buyer.ts', buyer.replace("perPayment: '$0.10'", 'perPayment: 10n'));
  expect(() => consumer.run('node', [compiler, '-p', '.'])).toThrow('Command failed');
});

it('a CommonJS program requires the packages, and pays', () => {
  consumer.write(
    'buyer.cjs',
    `const { createPayingFetch, parseAccount, settlementOf } = require('@avm402/client');
     const { AVM_MNEMONIC, ALGOD_URL: url, ALGOD_TOKEN: token, SOLD } = process.env;
     const fetchPaid = createPayingFetch({ account: parseAccount(AVM_MNEMONIC), networks: { 'algorand:*': { url, token } } });
     fetchPaid(SOLD + '/weather').then((response) => console.log(response.status, settlementOf(response).success));`,
  );
  expect(consumer.run('node', ['buyer.cjs'], environment)).toBe('200 true\n');
});

/** A page with a bundler's output of its script, which writes its result into the page's title. */
const bundlers = {
  esbuild: ['esbuild', 'page.js', '--bundle', '--format=esm', '--splitting', '--outdir=bundled-by-esbuild'],
  vite: ['vite', 'build', '--outDir', 'bundled-by-vite', '--base', './'],
} as const;

const page = `import { createPayingFetch, parseAccount } from '@avm402/client';
const { AVM_MNEMONIC, ALGOD_URL: url, ALGOD_TOKEN: token } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
const fetchPaid = createPayingFetch({ account: parseAccount(AVM_MNEMONIC), networks: { 'algorand:*': { url, token } } });
fetchPaid('/news').then(
  async (response) => { document.title = (await response.json()).news; },
  (error) => { document.title = String(error); },
);`;

/** A site that has the files of a folder, and sells the news to its pages. */
async function siteWith(folder: string): Promise<Served> {
  const facilitator = new HTTPFacilitatorClient({ url: stack.facilitator.url });
  const server = new x402ResourceServer(facilitator).register('algorand:*', new ExactAvmServer());
  const ours = createSeller({ server });
  const payTo = stack.accounts.merchant.address;
  const accepts = await ours.accepts({ price: '$0.01', payTo });
  const app = express().use(express.static(folder), ours.middleware({ 'GET /news': { accepts } }));
  app.get('/news', (_request, response) => void response.json({ news: 'good' }));
  return served(app);
}

it.each(['esbuild', 'vite'] as const)('a page bundled by %s pays in Chromium', async (bundler) => {
  consumer.write('page.js', page);
  consumer.write('index.html', '<script type="module" src="./page.js"></script>');
  consumer.run('npx', bundlers[bundler]);
  if (bundler === 'esbuild') consumer.run('cp', ['index.html', 'bundled-by-esbuild']);
  const site = await siteWith(join(consumer.path, `bundled-by-${bundler}`));
  const browser = await launchChromium();
  try {
    const tab = await browser.newPage();
    await tab.goto(`${site.url}/index.html#${String(new URLSearchParams(environment))}`);
    await tab.waitForFunction(() => document.title !== '');
    expect(await tab.title()).toBe('good');
  } finally {
    await browser.close();
    await site.stop();
  }
});
