import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@avm402/stack/free-port';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTurn, printedInTurn } from './in-turn.ts';
import { brokenPromise, fencedBlocks } from './pages.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** What sells, each at a port of its own. */
const [joke = '', weather = ''] = fencedBlocks('docs/start.md', 'ts');
const [metered = '', byTheToken = '', withoutChannel = ''] = fencedBlocks('docs/how-to/meter-what-is-used.md', 'ts');
const [migrated = ''] = fencedBlocks('docs/how-to/migrate-from-x402-express.md', 'ts');
const SELLERS = [joke, metered, migrated];

let stack: Stack;
let folder: string;
let sellers: ChildProcess;
let ports: readonly number[];
let printed: ReadonlyMap<string, string>;

beforeAll(async () => {
  stack = await startStack();
  folder = mkdtempSync(join(here, 'written-'));
  const { kinds } = (await (await fetch(`${stack.facilitator.url}/supported`)).json()) as {
    readonly kinds: readonly { readonly network: string }[];
  };
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    AVM_MNEMONIC: stack.accounts.payer5.mnemonic,
    AVM_ADDRESS: stack.accounts.merchant.address,
    AVM_NETWORK: kinds[0]?.network,
    FACILITATOR_URL: stack.facilitator.url,
    ALGOD_URL: stack.node.url,
    ALGOD_TOKEN: NODE_TOKEN,
  };
  const from = 20_000 + (process.pid % 12_000);
  ports = await Promise.all(SELLERS.map((_, index) => freePort(from + 100 * index)));
  const selling = SELLERS.map((code, index) => placed(code, ports[index]));
  const args = inTurn(selling, (number) => join(folder, `seller-${number}.ts`));
  sellers = spawn(process.execPath, args, { cwd: here, env, stdio: 'inherit' });
  const ended = once(sellers, 'exit').then(([status]) => Promise.reject(new Error(`the sellers ended with ${status}`)));
  ended.catch(() => undefined);
  await Promise.race([ended, Promise.all(ports.map(answering))]);
  const buying = [
    forJoke(ports[0]),
    placed(weather),
    placed(byTheToken, ports[1]),
    placed(withoutChannel, ports[1]),
    forJoke(ports[2]),
  ];
  const outputs = printedInTurn(buying, { fileOf: (number) => join(folder, `buyer-${number}.ts`), cwd: here, env });
  printed = new Map(buying.map((code, index) => [code, outputs[index] ?? '']));
});
afterAll(async () => {
  sellers.kill();
  rmSync(folder, { recursive: true });
  await stack.stop();
});

/** The program of a page, at this stack; what sells listens on `port`. */
function placed(code: string, port = 0): string {
  // In this order, because the stack's port may have the digits 4024 in it.
  return code.replaceAll('4024', String(port)).replaceAll('http://127.0.0.1:4021', stack.weather.url);
}

/** The buyer of the weather, at a seller of jokes. */
function forJoke(port = 0): string {
  const code = weather.replace('http://127.0.0.1:4021/weather', `http://127.0.0.1:${port}/joke`);
  return code.replace(/\{ report.*$/m, '{ joke: …');
}

async function answering(port: number): Promise<void> {
  while (!(await fetch(`http://127.0.0.1:${port}`).catch(() => undefined)))
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/** What the program's comments promise was printed. */
function expectPromised(code: string): void {
  expect(brokenPromise(code, printed.get(code) ?? '')).toBeUndefined();
}

describe('docs/start.md', () => {
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
    expect((await fetch(`http://127.0.0.1:${ports[0]}/joke`)).status).toBe(402);
    expectPromised(forJoke(ports[0]));
  });

  it('what buys prints what its comments say', () => expectPromised(placed(weather)));
});

it('README.md: its programs are those of docs/start.md, and it takes 110 lines at most', () => {
  expect(fencedBlocks('README.md', 'ts')).toEqual(fencedBlocks('docs/start.md', 'ts').slice(0, 2));
  const lines = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').split('\n');
  expect(lines.length).toBeLessThanOrEqual(110);
});

it('docs/how-to/meter-what-is-used.md: each request costs its tokens, through a channel and without one', () => {
  expectPromised(placed(byTheToken, ports[1]));
  expectPromised(placed(withoutChannel, ports[1]));
});

it('docs/how-to/migrate-from-x402-express.md: the application sells', () => expectPromised(forJoke(ports[2])));
