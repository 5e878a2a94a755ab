import { startStack, type Stack } from '@avm402/stack';
import { freePort } from '@avm402/stack/free-port';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { blocksIn, commandsIn, pageText, sectionOf } from '../documentation/pages.ts';
import { Newcomer } from './newcomer.ts';
import { type ConsumerFolder, consumerFolder } from './packed.ts';

const SELL = sectionOf(pageText('docs/frameworks.md'), '## Request and Response');
const START = pageText('docs/start.md');
const [bunSells = '', bunBuys = '', denoSells = '', denoBuys = ''] = blocksIn(SELL, 'sh').join('').split('\n');

let stack: Stack;
let consumer: ConsumerFolder;

beforeAll(async () => {
  stack = await startStack();
  consumer = consumerFolder();
  consumer.install({ bun: '^1.4.0', deno: '^2.9.0' });
});
afterAll(async () => {
  await stack.stop();
});

it.each([
  { runtime: 'Bun', sells: bunSells, buys: bunBuys, first: 23_000 },
  { runtime: 'Deno', sells: denoSells, buys: denoBuys, first: 24_000 },
])('$runtime sells and buys as docs/frameworks.md says', async ({ sells, buys, first }) => {
  const portOf = ({ url }: { readonly url: string }): number => Number(new URL(url).port);
  const ports = new Map([
    [4001, portOf(stack.node)],
    [4021, portOf(stack.weather)],
    [4022, portOf(stack.facilitator)],
    [4024, await freePort(first + (process.pid % 1_000))],
  ]);
  const maker = new Newcomer({ folder: consumer.path, ports, environment: {} });
  onTestFinished(() => maker[Symbol.asyncDispose]());
  await maker.types(blocksIn(START, 'sh').join(''));
  maker.saves('seller.mjs', blocksIn(SELL, 'ts').join(''));
  maker.saves('buyer.mjs', blocksIn(sectionOf(START, '## Buy'), 'ts').join(''));
  await maker.starts(sells, /listening|started/i);
  const [pay = ''] = commandsIn(SELL, 'npx avm402');
  expect(await maker.types(`ALGOD_URL=${stack.node.url} ${pay}`)).toMatch(/confirmed .*sunny/s);
  expect(await maker.types(buys)).toMatch(/weather: .*\n[A-Z2-7]{52}\n/s);
});
