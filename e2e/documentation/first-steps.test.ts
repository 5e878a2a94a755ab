import { readFileSync } from 'node:fs';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '@avm402/stack/free-port';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { brokenPromise, fencedBlocks } from './pages.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

let stack: Stack;
let environment: NodeJS.ProcessEnv;
const sellers: ChildProcess[] = [];

beforeAll(async () => {
  stack = await startStack();
  const { kinds } = (await (await fetch(`${stack.facilitator.url}/supported`)).json()) as {
    readonly kinds: readonly { readonly network: string }[];
  };
  environment = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    AVM_MNEMONIC: stack.accounts.payer5.mnemonic,
    AVM_ADDRESS: stack.accounts.merchant.address,
    AVM_NETWORK: kinds[0]?.network,
    FACILITATOR_URL: stack.facilitator.url,
    ALGOD_URL: stack.node.url,
    ALGOD_TOKEN: NODE_TOKEN,
  };
});
afterEach(() => {
  for (const seller of sellers.splice(0)) seller.kill();
});
afterAll(() => stack.stop());

/** The program of a page, at this stack; what sells listens on `port`. */
function programAt(code: string, port: number): string[] {
  // In this order, because the stack's port may have the digits 4024 in it.
  const moved = code.replaceAll('4024', String(port)).replaceAll('http://127.0.0.1:4021', stack.weather.url);
  return ['--input-type=module-typescript', '--eval', moved];
}

/** Starts what sells; resolves with its URL once it answers. */
async function sell(code: string): Promise<{ readonly url: string; readonly port: number }> {
  const port = await freePort(20_000 + (process.pid % 12_000));
  const seller = spawn(process.execPath, programAt(code, port), { cwd: here, env: environment, stdio: 'inherit' });
  sellers.push(seller);
  const ended = once(seller, 'exit').then(([status]) => Promise.reject(new Error(`the seller ended with ${status}`)));
  ended.catch(() => undefined);
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([ended, answering(url)]);
  return { url, port };
}

async function answering(url: string): Promise<void> {
  while (!(await fetch(url).catch(() => undefined))) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Runs what buys; what its comments promise was printed. */
function buy(code: string, port = 0): void {
  const options = { cwd: here, env: environment, encoding: 'utf8' } as const;
  const { stdout, stderr, status } = spawnSync(process.execPath, programAt(code, port), options);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(brokenPromise(code, stdout)).toBeUndefined();
}

/** The buyer of the weather, at a seller of jokes. */
function forJoke(buyer: string, url: string): string {
  return buyer.replace('http://127.0.0.1:4021/weather', `${url}/joke`).replace(/\{ report.*$/m, '{ joke: …');
}

describe('docs/start.md', () => {
  const [seller = '', buyer = ''] = fencedBlocks('docs/start.md', 'ts');

  it('names accounts and the token of the development node', () => {
    const named = [
      ...fencedBlocks('docs/start.md', 'sh')
        .join('')
        .matchAll(/^export (\w+)='?([\w ]+\w)/gm),
    ];
    const { merchant, payer } = stack.accounts;
    expect(named.map(([, name, value]) => [name, value])).toEqual([
      ['AVM_ADDRESS', merchant.address],
      ['AVM_MNEMONIC', payer.mnemonic],
      ['ALGOD_TOKEN', NODE_TOKEN],
    ]);
  });

  it('what sells asks for payment, and gets it from what buys', async () => {
    const { url } = await sell(seller);
    expect((await fetch(`${url}/joke`)).status).toBe(402);
    buy(forJoke(buyer, url));
  });

  it('what buys prints what its comments say', () => buy(buyer));
});

it('README.md: its programs are those of docs/start.md, and it takes 110 lines at most', () => {
  expect(fencedBlocks('README.md', 'ts')).toEqual(fencedBlocks('docs/start.md', 'ts').slice(0, 2));
  const lines = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').split('\n');
  expect(lines.length).toBeLessThanOrEqual(110);
});

it('docs/how-to/meter-what-is-used.md: each request costs its tokens, through a channel and without one', async () => {
  const [seller = '', buyer = '', withoutChannel = ''] = fencedBlocks('docs/how-to/meter-what-is-used.md', 'ts');
  const { port } = await sell(seller);
  buy(buyer, port);
  buy(withoutChannel, port);
});

it('docs/how-to/migrate-from-x402-express.md: the application sells', async () => {
  const [seller = ''] = fencedBlocks('docs/how-to/migrate-from-x402-express.md', 'ts');
  const { url } = await sell(seller);
  const [, buyer = ''] = fencedBlocks('docs/start.md', 'ts');
  buy(forJoke(buyer, url));
});
