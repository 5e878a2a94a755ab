import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const ADDRESS = '7ZUECA7HFLZTXENRV24SHLU4AVPUTMTTDUFUBNBD64C73F3UHRTHAIOF6Q';
const FEE_PAYER = 'SPONSOR';
const LONG = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=';
const SHORT = 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe';
const MAINNET = 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k';

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

interface Program {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  output(): string;
  exit(): Promise<number | null>;
  /** Resolves with the URL of the ready line. */
  ready(): Promise<string>;
}

function start(environment: Record<string, string>, ...args: string[]): Program {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = once(child, 'exit');
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  ending.push(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
  });
  const readyUrl = (): string | undefined => /^weather listening on (http:\/\/\S+:\d+)$/m.exec(output)?.[1];
  return {
    child,
    output: () => output,
    exit: async () => {
      await exited;
      return child.exitCode;
    },
    ready: async () => {
      while (readyUrl() === undefined && child.exitCode === null) await once(child.stdout, 'data');
      return readyUrl() ?? '';
    },
  };
}

/** A facilitator that supports `exact` on these networks. */
async function facilitator(...networks: string[]): Promise<string> {
  const kinds = networks.map((network) => ({
    x402Version: 2,
    scheme: 'exact',
    network,
    extra: { feePayer: FEE_PAYER },
  }));
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ kinds, extensions: [], signers: {} }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ending.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

interface Offer {
  readonly resource: { readonly mimeType: string };
  readonly accepts: readonly { readonly network: string; readonly amount: string; readonly payTo: string }[];
  readonly extensions: Record<string, unknown>;
}

async function offer(url: string): Promise<Offer> {
  const response = await fetch(`${url}/weather`);
  expect(response.status).toBe(402);
  const header = response.headers.get('payment-required') ?? '';
  return JSON.parse(Buffer.from(header, 'base64').toString()) as Offer;
}

describe('the weather program', () => {
  it('offers the report for a cent in both spellings of the network, the long one first', async () => {
    const url = await start({
      AVM_ADDRESS: ADDRESS,
      FACILITATOR_URL: await facilitator(SHORT, LONG),
      PORT: '0',
    }).ready();
    const { resource, accepts, extensions } = await offer(url);
    expect(resource.mimeType).toBe('application/json');
    expect(accepts.map(({ network }) => network)).toEqual([LONG, SHORT]);
    expect(accepts[0]).toMatchObject({ amount: '10000', payTo: ADDRESS });
    expect(extensions['bazaar']).toMatchObject({
      info: {
        input: { type: 'http', method: 'GET' },
        output: { type: 'json', example: { report: { weather: 'sunny', temperature: 70 } } },
      },
    });
  });

  it('names its address as a URL where it is one of IPv6', async () => {
    const url = await start({
      AVM_ADDRESS: ADDRESS,
      FACILITATOR_URL: await facilitator(LONG),
      HOST: '::1',
      PORT: '0',
    }).ready();
    expect((await offer(url)).accepts[0]?.network).toBe(LONG);
  });

  it('sends the security headers of helmet', async () => {
    const url = await start({ AVM_ADDRESS: ADDRESS, FACILITATOR_URL: await facilitator(LONG), PORT: '0' }).ready();
    const { headers } = await fetch(`${url}/weather`);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('names every variable that is missing, and exits 1', async () => {
    const program = start({});
    expect(await program.exit()).toBe(1);
    expect(program.output()).toContain('AVM_ADDRESS is missing');
    expect(program.output()).toContain('FACILITATOR_URL is missing');
  });

  it('names every variable that is malformed, and exits 1', async () => {
    const program = start({ AVM_ADDRESS: 'nonsense', FACILITATOR_URL: 'nonsense', PORT: 'x', AVM_NETWORK: 'eip155:1' });
    expect(await program.exit()).toBe(1);
    for (const name of ['AVM_ADDRESS', 'FACILITATOR_URL', 'PORT', 'AVM_NETWORK']) {
      expect(program.output()).toContain(`${name} must`);
    }
  });

  it('exits 1 and lists the networks when the facilitator serves several', async () => {
    const program = start({ AVM_ADDRESS: ADDRESS, FACILITATOR_URL: await facilitator(SHORT, MAINNET), PORT: '0' });
    expect(await program.exit()).toBe(1);
    expect(program.output()).toContain(SHORT);
    expect(program.output()).toContain(MAINNET);
  });

  it('sells on the network that AVM_NETWORK names, in whatever spelling', async () => {
    const url = await start({
      AVM_ADDRESS: ADDRESS,
      FACILITATOR_URL: await facilitator(SHORT, MAINNET),
      AVM_NETWORK: LONG,
      PORT: '0',
    }).ready();
    expect((await offer(url)).accepts.map(({ network }) => network)).toEqual([SHORT]);
  });

  it('exits 1 when the facilitator serves no Algorand network', async () => {
    const program = start({ AVM_ADDRESS: ADDRESS, FACILITATOR_URL: await facilitator('eip155:84532'), PORT: '0' });
    expect(await program.exit()).toBe(1);
    expect(program.output()).toContain('no Algorand network');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends with 0 on %s', async (signal) => {
    const program = start({ AVM_ADDRESS: ADDRESS, FACILITATOR_URL: await facilitator(LONG), PORT: '0' });
    await program.ready();
    program.child.kill(signal);
    expect(await program.exit()).toBe(0);
  });

  it('ends with 0 also where its traces can no more be sent', async () => {
    const program = start({
      AVM_ADDRESS: ADDRESS,
      FACILITATOR_URL: await facilitator(LONG),
      PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    });
    await offer(await program.ready());
    program.child.kill('SIGTERM');
    expect(await program.exit()).toBe(0);
  });

  it('shows its environment with --help, and exits 2 when called wrongly', async () => {
    const help = start({}, '--help');
    expect(await help.exit()).toBe(0);
    expect(help.output()).toContain('FACILITATOR_URL');
    const wrong = start({}, '--nonsense');
    expect(await wrong.exit()).toBe(2);
  });
});
