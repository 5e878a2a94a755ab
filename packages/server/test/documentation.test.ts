import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createAlgodClient } from '@avm402/algorand/algod';
import { parseAccount } from '@avm402/algorand/account';
import { createPayingFetch, settlementOf } from '@avm402/client';
import { decodePaymentRequiredHeader } from '@avm402/core/headers';
import { type Devnode, startDevnode } from '@avm402/devnode';
import { createFacilitator, createFacilitatorApp } from '@avm402/facilitator';
import { startPostgres } from '@avm402/testkit/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseOptions } from '../src/options.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const blocksOf = (page: string): string[] =>
  [...readFileSync(root + page, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);

const [start = ''] = blocksOf('packages/server/README.md');
const [program, ...examples] = blocksOf('docs/server.md');

let node: Devnode;
let facilitatorUrl: string;
let folder: string;
let databaseUrl: string;
let urls: ReadonlyMap<string, string>;
const ending: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(root, 'packages/server/test/written-'));
  ending.push(() => rm(folder, { recursive: true }));
  const postgres = await startPostgres();
  ending.push(() => postgres.stop());
  databaseUrl = await postgres.createDatabase();
  node = await startDevnode({ port: 0, network: 'testnet' });
  ending.push(() => node.stop());
  const { facilitator: sponsor, merchant, payer } = node.accounts;
  const facilitator = createFacilitator({
    networks: [{ algods: [createAlgodClient({ url: node.url, token: node.token })] }],
    sponsorship: { account: parseAccount(sponsor.privateKey), payTo: [merchant.address] },
    channels: { minDeposit: 1n },
  });
  ending.push(() => facilitator.close());
  const app = createFacilitatorApp(facilitator);
  ending.push(() => app.close());
  facilitatorUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  for (const assetId of [123456n, 777n]) {
    await node.deal(payer.address, assetId, 1n).catch(() => undefined);
  }
  urls = await runAll();
});
afterAll(async () => {
  for (const end of ending.toReversed()) await end();
});

/** The start of the README, with an example put in before it listens; it prints the number of the example and its port. */
function programOf(example: string, number: number): string {
  const imports = [...example.matchAll(/^import .*$/gm)].map(([line]) => line);
  // A block of its own, so that an example may make another seller.
  const rest = `{\n${example.replaceAll(/^import .*$/gm, '')}\n}`;
  const [before = '', listening = ''] = start.split('app.listen(4024);');
  const listen = `const listener = app.listen(0, '127.0.0.1', () => console.log(\`${number} at \${listener.address().port}\`));`;
  return [...imports, before, rest, listen, listening].join('\n');
}

/** Runs the start alone and with each example, in one process; resolves with their URLs by example. */
async function runAll(): Promise<ReadonlyMap<string, string>> {
  const codes = ['', ...examples];
  const files = codes.map((_, number) => join(folder, `${number}.ts`));
  await Promise.all(codes.map((code, number) => writeFile(files[number] ?? '', programOf(code, number))));
  const child = spawn(process.execPath, files.flatMap((file) => ['--import', file]).concat('--eval', ''), {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      AVM_ADDRESS: node.accounts.merchant.address,
      FACILITATOR_URL: facilitatorUrl,
      DATABASE_URL: databaseUrl,
      ALGOD_URL: node.url,
      ALGOD_TOKEN: node.token,
      AVM_PRIVATE_KEY: node.accounts.facilitator.privateKey,
      SETTLEMENT_STORE: join(folder, 'settlements.sqlite'),
      STORE: join(folder, 'redemptions.sqlite'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ending.push(() => stop(child));
  const found = new Map<string, string>();
  for await (const line of createInterface(child.stdout)) {
    const [, number = '', port] = /^(\d+) at (\d+)$/.exec(line) ?? [];
    if (port !== undefined) found.set(codes[Number(number)] ?? '', `http://127.0.0.1:${port}`);
    if (found.size === codes.length) return found;
  }
  throw new Error(`the examples ended after ${found.size} of ${codes.length} listened`);
}

/** The URL of the example that has this text; of the start alone for the empty one. */
const urlOf = (mark: string): string => {
  const code = mark === '' ? '' : examples.find((each) => each.includes(mark));
  const url = code === undefined ? undefined : urls.get(code);
  if (url === undefined) throw new Error(`no example with ${mark}`);
  return url;
};

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const pay = (options: { readonly channels?: object } = {}): typeof fetch =>
  createPayingFetch({
    ...options,
    account: parseAccount(node.accounts.payer.privateKey),
    networks: { 'algorand:*': { url: node.url, token: node.token } },
  });

describe('the start in the README', () => {
  it('takes seven lines, which docs/server.md shows too, answers 402, and serves whoever pays', async () => {
    expect(start.match(/^.+$/gm)).toHaveLength(7);
    expect(program).toBe(start);
    const url = `${urlOf('')}/weather`;
    expect((await fetch(url)).status).toBe(402);
    const response = await pay()(url);
    expect([response.status, await response.json()]).toEqual([200, { weather: 'sunny' }]);
    expect(settlementOf(response)?.success).toBe(true);
  });
});

/** Path of each example, and what it answers when it is paid. */
const answers: readonly [string, string, unknown][] = [
  ['/cities/:city', '/cities/oslo', { city: 'oslo' }],
  ['/maps/:id', '/maps/7', { map: '7' }],
  ['GET /plans', '/plans', { plans: ['one'] }],
  ['GET /report', '/report', { report: 'as you like to pay' }],
  ['GET /images', '/images?size=large', { size: 'large' }],
  ['GET /events', '/events', 'data: the first of many\n\ndata: the last\n\n'],
  ['GET /quote', '/quote', { quote: 'a cent saved' }],
  ['GET /shared', '/shared', { process: expect.any(Number) }],
  ['GET /anywhere', '/anywhere', { process: expect.any(Number) }],
  ['GET /alone', '/alone', { processes: 1 }],
  ['GET /forecast', '/forecast', { forecast: 'sunny then rain' }],
  ['GET /ready', '/ready', { ready: true }],
  ['GET /guarded', '/guarded', { guarded: true }],
  ['GET /listed', '/listed', { weather: 'sunny' }],
];

describe('docs/server.md', () => {
  it('has no example that is not run here', () => {
    expect(examples).toHaveLength(answers.length);
  });

  it.each(answers)('sells %s as it says', async (mark, path, expected) => {
    const url = urlOf(mark) + path;
    expect((await fetch(url)).status).toBe(402);
    const response = await pay()(url);
    const text = await response.text();
    expect([response.status, typeof expected === 'string' ? text : JSON.parse(text)]).toEqual([200, expected]);
    const { success, errorReason } = settlementOf(response) ?? {};
    // An answer that leaves before the block can't say that it is settled.
    expect(success === true || errorReason).toBe(mark === 'GET /quote' ? 'settlement_pending' : true);
  });

  it('sells GET /forecast through a channel for what is charged', async () => {
    const url = `${urlOf('GET /forecast')}/forecast`;
    const buy = pay({ channels: {} });
    for (const charged of ['300', '600']) {
      const response = await buy(url);
      expect(await response.json()).toEqual({ forecast: 'sunny then rain' });
      expect(settlementOf(response)?.extra).toMatchObject({
        chargedAmount: '300',
        channelState: { chargedCumulativeAmount: charged },
      });
    }
  });

  it('offers what its examples of prices say', async () => {
    const offersAt = async (mark: string, path: string) => {
      const { headers } = await fetch(urlOf(mark) + path);
      return decodePaymentRequiredHeader(headers.get('PAYMENT-REQUIRED') ?? '');
    };
    const { accepts } = await offersAt('GET /report', '/report');
    const asked = new Set(accepts.map(({ asset, amount }) => `${amount} of ${asset}`));
    expect([...asked]).toEqual(['10000 of 10458941', '2 of 123456', '5 of 777']);
    expect((await offersAt('GET /images', '/images?size=large')).accepts[0]?.amount).toBe('500000');
    const listed = await offersAt('GET /listed', '/listed');
    expect(listed.resource.url).toBe('https://weather.example/listed');
    expect(listed.extensions?.['bazaar']).toMatchObject({ info: { output: { example: { weather: 'sunny' } } } });
  });

  it('lists every option, and no other', () => {
    const page = readFileSync(`${root}docs/server.md`, 'utf8');
    const table = page.slice(page.indexOf('## Options'), page.indexOf('## Moving from'));
    const listed = [...table.matchAll(/^\| (`.*?`)\s+\|/gm)].flatMap(([, names = '']) =>
      names.replaceAll('`', '').split(', '),
    );
    const { message } = catching(() => parseOptions({ nonsense: 1 } as object));
    const known = /there are (.*)$/.exec(message)?.[1]?.split(', ') ?? [];
    expect(listed.toSorted()).toEqual(known.toSorted());
  });
});

function catching(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}
