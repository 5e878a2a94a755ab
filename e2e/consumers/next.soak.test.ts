import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createPayer, parseAccount } from '@avm402/client';
import { decodePaymentRequiredHeader } from '@avm402/core/headers';
import { startStack, type Stack } from '@avm402/stack';
import { startProgram, type Program } from '@avm402/stack/program';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fencedBlocks } from '../documentation/pages.ts';
import { type ConsumerFolder, consumerFolder } from './packed.ts';

/** The files that the page shows for Next, by their paths. */
const SHOWN = ['app/seller.ts', 'app/weather/route.ts', 'app/map/[city]/route.ts'];
const shown = (path: string): string =>
  fencedBlocks('docs/frameworks.md', `ts ${path.replaceAll(/[[\]]/g, String.raw`\$&`)}`).join('');

/** What buys inside Next, with the `fetch` that Next has put in place. */
const buyer = `import { createPayingFetch, parseAccount, settlementOf } from '@avm402/client';

const { AVM_MNEMONIC = '', ALGOD_URL: url = '', ALGOD_TOKEN: token = '', SOLD = '' } = process.env;
const account = parseAccount(AVM_MNEMONIC);
export async function GET(): Promise<Response> {
  const fetchPaid = createPayingFetch({ account, networks: { 'algorand:*': { url, token } } });
  const response = await fetchPaid(SOLD, { cache: 'no-store' });
  return Response.json({ bought: await response.json(), settled: settlementOf(response)?.success });
}
`;

/** What a proxy answers itself is sold; what it passes on is not its own. */
const proxy = `import { type NextRequest, NextResponse } from 'next/server';
import { paymentMiddleware } from '@avm402/server/next';
import { cent, seller } from './app/seller.ts';

const own = paymentMiddleware(seller.priced(cent), () => Response.json({ from: 'the proxy' }));
const passing = paymentMiddleware(seller.priced(cent), () => NextResponse.next());
export const proxy = (request: NextRequest): Promise<Response> =>
  request.nextUrl.pathname === '/own' ? own(request) : passing(request);
export const config = { matcher: ['/own', '/passed'] };
`;

let stack: Stack;
let consumer: ConsumerFolder;
let next: Program;
let access: { readonly url: string; readonly token: string };

beforeAll(async () => {
  stack = await startStack({ nodeArguments: ['--network', 'testnet'] });
  access = { url: stack.node.url, token: NODE_TOKEN };
  consumer = consumerFolder();
  const types = { typescript: '~5.9.0', '@types/node': '^24.0.0', '@types/react': '^19.0.0' };
  consumer.install({ next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0', ...types });
  for (const route of ['weather', 'map/[city]', 'buy', 'passed'])
    mkdirSync(join(consumer.path, 'app', route), { recursive: true });
  for (const path of SHOWN) consumer.write(path, shown(path));
  consumer.write(
    'tsconfig.json',
    JSON.stringify({ compilerOptions: { allowImportingTsExtensions: true, noEmit: true } }),
  );
  consumer.write('app/buy/route.ts', buyer);
  consumer.write(
    'app/passed/route.ts',
    "export const GET = (): Response => Response.json({ secret: 'of the route' });",
  );
  consumer.write('proxy.ts', proxy);
  const program = join(consumer.path, 'node_modules/next/dist/bin/next');
  const environment = {
    NEXT_TELEMETRY_DISABLED: '1',
    FACILITATOR_URL: stack.facilitator.url,
    AVM_ADDRESS: stack.accounts.merchant.address,
    AVM_MNEMONIC: stack.accounts.payer5.mnemonic,
    ALGOD_URL: access.url,
    ALGOD_TOKEN: access.token,
    SOLD: `${stack.weather.url}/weather`,
  };
  // No facilitator is needed to build.
  consumer.run('node', [program, 'build'], { ...environment, FACILITATOR_URL: 'http://127.0.0.1:9' });
  const command = [program, 'start', consumer.path, '--port', '0', '--hostname', '127.0.0.1'];
  next = await startProgram({ name: 'next', ready: /^- Local: +(\S+)$/m, command, environment });
});
afterAll(async () => {
  // It runs also where Next could not be installed.
  await stack.stop();
  await next.stop();
});

/** The command of the packed client pays a path. */
function pay(path: string): string {
  const environment = {
    AVM_MNEMONIC: stack.accounts.payer6.mnemonic,
    ALGOD_URL: access.url,
    ALGOD_TOKEN: NODE_TOKEN,
  };
  return consumer.run('npx', ['avm402', 'pay', `${next.url}${path}`, '--json'], environment);
}

describe('an app of Next, typed, built and started with the packed packages', () => {
  it.each([
    { what: 'a route handler, as docs/frameworks.md has it,', path: '/weather', body: { weather: 'sunny' } },
    { what: 'another one that shares its seller', path: '/map/oslo', body: { map: 'oslo' } },
    { what: 'a proxy that answers itself', path: '/own', body: { from: 'the proxy' } },
  ])('sells by $what', ({ path, body }) => {
    expect(JSON.parse(pay(path))).toMatchObject({ status: 200, body, settlement: { success: true } });
  });

  it('redeems a payment once, however many different requests carry it at once', async () => {
    const account = parseAccount(stack.accounts.payer.privateKey);
    const payer = createPayer({ account, networks: { 'algorand:*': access }, spend: { allowHttp: true } });
    const asked = await fetch(`${next.url}/weather`);
    expect(asked.status).toBe(402);
    const required = decodePaymentRequiredHeader(asked.headers.get('PAYMENT-REQUIRED') ?? '');
    const headers = { 'PAYMENT-SIGNATURE': await payer.sign(required) };
    const paths = Array.from({ length: 8 }, (_, index) => `/weather?day=${index}`);
    const answers = await Promise.all(paths.map((path) => fetch(next.url + path, { headers })));
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    // The payment's id is another request's.
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
    await payer.finish(1_000);
  });

  it('is not paid for what its proxy passes on, and shows none of it', async () => {
    expect((await fetch(`${next.url}/passed`)).status).toBe(402);
    expect(() => pay('/passed')).toThrow('no payment settled, status 500');
    await expect.poll(() => next.output()).toContain('a proxy of Next does not see what is answered');
  });

  it('buys with the fetch that Next has put in place', async () => {
    const answer = await fetch(`${next.url}/buy`);
    expect(await answer.json()).toMatchObject({ bought: { report: { weather: 'sunny' } }, settled: true });
  });
});
