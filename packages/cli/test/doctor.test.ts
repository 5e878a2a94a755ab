import { describe, expect, it, vi } from 'vitest';
import { errorCatalogue } from '@avm402/core/errors';
import { parseAccount } from '@avm402/algorand/account';
import { createAlgodClient } from '@avm402/algorand/algod';
import { TESTNET } from '@avm402/algorand/networks';
import { startDevnode, type DevnodeOptions } from '@avm402/devnode';
import { examineBursts } from '../src/doctor/bursts.ts';
import { accounts } from '../../client/test/chain.ts';
import { asking, merchant, network, sponsor, type Answer, type Answers } from '../../client/test/seller.ts';
import { useStage } from '../../client/test/stage.ts';
import { rekey } from '../../client/test/rekey.ts';
import { run, type RunOptions } from './run.ts';

const stage = useStage();

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly fix?: string;
}

async function examine(
  answers: Answers,
  more: Record<string, string> = {},
  args: readonly string[] = [],
  options: RunOptions = {},
) {
  const seller = await stage.sellerThat(answers);
  await stage.chain.deal(accounts.merchant.address, TESTNET.usdcAssetId, 1n);
  const environment = {
    AVM_PRIVATE_KEY: accounts.payer.privateKey,
    ALGOD_URL: stage.chain.url,
    ALGOD_TOKEN: stage.chain.token,
    ...more,
  };
  const { code, stdout } = await run(['doctor', seller.url, '--json', ...args], { environment, ...options });
  const { healthy, findings } = JSON.parse(stdout) as { healthy: boolean; findings: Finding[] };
  const of = (check: string): Finding | undefined => findings.find((one) => one.check === check);
  expect(seller.payments()).toEqual([]);
  return { code, healthy, findings, of };
}

/** An endpoint as it should be, for pages of other origins too. */
const sound = (change: Partial<Answer> = {}): Answers => {
  const cors = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Headers': 'payment-signature, content-type',
    'Access-Control-Expose-Headers': 'PAYMENT-REQUIRED, PAYMENT-RESPONSE',
  };
  return ({ method, headers }) => {
    if (method === 'OPTIONS') return { status: 204, headers: cors };
    const answer = asking([{}], { resource: { url: `http://${headers.host}/`, description: '', mimeType: '' } });
    return {
      ...answer,
      ...change,
      headers: { ...answer.headers, ...cors, 'Cache-Control': 'no-store', ...change.headers },
    };
  };
};

/** An offer whose network is spelled in a way that our own encoder refuses. */
function namingNetwork(name: string): Answer {
  const { headers = {}, ...answer } = asking();
  const text = Buffer.from(headers['PAYMENT-REQUIRED'] ?? '', 'base64')
    .toString()
    .replaceAll(network, name);
  return { ...answer, headers: { 'PAYMENT-REQUIRED': Buffer.from(text).toString('base64') } };
}

it('finds nothing wrong with a sound endpoint and a funded payer', async () => {
  const { code, healthy, findings } = await examine(sound());
  expect(findings.filter(({ status }) => status === 'problem' || status === 'warning')).toEqual([]);
  expect({ code, healthy }).toEqual({ code: 0, healthy: true });
  expect(findings.map(({ check }) => check)).toEqual([
    'reachable',
    'https',
    'clock',
    '402',
    'header size',
    'cache',
    'proxy URL',
    'CORS',
    'offer 1',
    'limits',
    'facilitator',
    'node',
    'clock',
    'bursts',
    'asset',
    'payTo',
    'fee payer',
    'payer',
    'payer asset',
  ]);
});

it('prints one line a finding, with the fix behind an arrow', async () => {
  const seller = await stage.sellerThat(() => ({ status: 404 }));
  const { code, stdout } = await run(['doctor', seller.url]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ok {7}reachable {4}127\.0\.0\.1:\d+ answers 404$/m);
  expect(stdout).toMatch(
    /^PROBLEM {2}402 {10}answers 404 instead of 402 without a payment\n {22}→ Check method and path/m,
  );
});

it("says a failed server's own code, and what to do about it", async () => {
  const body = JSON.stringify({ error: 'shutting_down', message: 'nobody settles', remedy: 'Pay twice.' });
  const { of } = await examine(() => ({ status: 503, body }));
  expect(of('402')).toMatchObject({
    status: 'problem',
    message: 'the server answers 503 instead of 402: shutting_down: nobody settles',
    fix: errorCatalogue.shutting_down.remedy,
  });
});

describe('what keeps payments from succeeding is a problem', () => {
  it('an endpoint that takes a request and does not answer within half a minute', async () => {
    const patience = vi
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation(() => AbortSignal.abort(new Error('too late')));
    const { of } = await examine(() => new Promise<Answer>(() => {}));
    expect(patience).toHaveBeenCalledWith(30_000);
    expect(of('reachable')).toMatchObject({ status: 'problem', message: expect.stringContaining('too late') });
    patience.mockRestore();
  });

  it.each<[string, Answers, string, RegExp]>([
    ['a 402 without an offer', () => ({ status: 402, body: '{"x402Version":1}' }), '402', /without PAYMENT-REQUIRED/],
    ['an offer that is no base64', () => ({ status: 402, headers: { 'PAYMENT-REQUIRED': '{}' } }), '402', /base64/],
    ['an offer of version 1', () => asking([{}], { x402Version: 1 }), '402', /version/],
    ['an empty offer', () => asking([]), 'offers', /empty/],
    ['an asset by name', () => asking([{ asset: 'USDC' }]), 'offer 1', /USDC is not an asset id/],
    ['a receiver that is no address', () => asking([{ payTo: '0xabc' }]), 'offer 1', /not an Algorand address/],
    ['an amount of zero', () => asking([{ amount: '0' }]), 'offer 1', /above zero/],
    ['another scheme', () => asking([{ scheme: 'deferred' }]), 'offer 1', /scheme deferred/],
    [
      'a fee payer that receives',
      () => asking([{ extra: { feePayer: merchant } }]),
      'offer 1',
      /would be the receiver/,
    ],
    ['an asset that is not there', () => asking([{ asset: '424242' }]), 'asset', /asset 424242 does not exist/],
    [
      'a receiver that has not opted in',
      () => asking([{ payTo: accounts.dispenser.address }]),
      'payTo',
      /has not opted in/,
    ],
    [
      'a network of another node',
      () => asking([{ network: 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k' }]),
      'node',
      /belongs to algorand:SGO1/,
    ],
  ])('%s', async (_what, answers, check, message) => {
    const { code, of } = await examine(answers);
    expect(of(check)).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(message),
      fix: expect.any(String),
    });
    expect(code).toBe(1);
  });

  it('a network that is no CAIP-2 id', async () => {
    const { code, of } = await examine(() => namingNetwork('algorand-testnet'));
    expect(of('402')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('accepts.0.network'),
      fix: expect.stringContaining('CAIP-2'),
    });
    expect(code).toBe(1);
  });

  it('plain HTTP from another machine', async () => {
    const seller = await stage.sellerThat(sound());
    const remote: typeof fetch = async (_url, init) => {
      const { status, headers } = await fetch(seller.url, init);
      return new Response(null, { status, headers });
    };
    const { code, stdout } = await run(['doctor', 'http://api.example.com/', '--json'], { fetch: remote });
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as { findings: Finding[] }).findings).toContainEqual({
      check: 'https',
      status: 'problem',
      message: expect.stringContaining('http://api.example.com is not encrypted'),
      fix: 'Serve it over https.',
    });
  });

  it('a redirect to another origin', async () => {
    const other = await stage.sellerThat(sound());
    const { code, of } = await examine(() => ({ status: 307, headers: { Location: other.url } }));
    expect(of('redirect')).toMatchObject({ status: 'problem', fix: `Publish ${other.url} instead.` });
    expect(code).toBe(1);
  });

  it('a key that no longer signs for the account', async () => {
    await rekey(stage.chain.algod, parseAccount(accounts.payer.privateKey), accounts.payer2.address);
    const { code, of } = await examine(sound());
    expect(of('payer key')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining(`rekeyed to ${accounts.payer2.address}`),
      fix: expect.stringContaining(`--from ${accounts.payer.address}`),
    });
    expect(code).toBe(1);
    const own = { AVM_PRIVATE_KEY: accounts.payer2.privateKey };
    expect((await examine(sound(), own, ['--from', accounts.payer.address])).code).toBe(0);
  });

  it.each([
    ['receives', accounts.merchant.privateKey, /itself receives the payment/],
    ['pays the fee for buyers', accounts.facilitator.privateKey, /itself pays the network's fee/],
  ])('a payer who %s', async (_what, key, message) => {
    const { code, of } = await examine(sound(), { AVM_PRIVATE_KEY: key });
    expect(of('payer')).toMatchObject({ status: 'problem', message: expect.stringMatching(message) });
    expect(code).toBe(1);
  });

  it('a key that can’t be read: the account is at fault, not the node', async () => {
    const { code, of, findings } = await examine(sound(), { AVM_PRIVATE_KEY: 'a secret' });
    expect(of('payer')).toMatchObject({ status: 'problem', message: expect.stringContaining('AVM_PRIVATE_KEY: ') });
    expect(of('payTo')).toMatchObject({ status: 'ok' });
    expect(findings.filter(({ check, status }) => check === 'node' && status !== 'ok')).toEqual([]);
    expect(JSON.stringify(findings)).not.toContain('a secret');
    expect(code).toBe(1);
  });

  it('a server that is not there', async () => {
    const { code, stdout } = await run(['doctor', 'http://127.0.0.1:9']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/PROBLEM {2}reachable/);
  });

  it('a node that is not there', async () => {
    const { of } = await examine(sound(), { ALGOD_URL: 'http://127.0.0.1:1' });
    expect(of('node')).toMatchObject({ status: 'problem', message: expect.stringContaining("can't be reached") });
  });

  it('a fee payer without ALGO', async () => {
    const poor = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ';
    const { of } = await examine(() => asking([{ extra: { feePayer: poor } }]));
    expect(of('fee payer')).toMatchObject({ status: 'problem' });
  });

  it('a payer without ALGO, without the asset, or with too little of it', async () => {
    const key = Buffer.alloc(32, 9).toString('base64');
    const poor = await examine(sound(), { AVM_PRIVATE_KEY: key });
    expect(poor.of('payer')).toMatchObject({ status: 'problem', fix: expect.stringContaining('avm402 fund') });
    const { address } = JSON.parse(
      (
        await run(['balance', '--json'], {
          environment: { AVM_PRIVATE_KEY: key, ALGOD_URL: stage.chain.url, ALGOD_TOKEN: stage.chain.token },
        })
      ).stdout,
    ) as { address: string };
    await stage.chain.fund(address, 1_000_000n);
    const out = await examine(sound(), { AVM_PRIVATE_KEY: key });
    expect(out.of('payer asset')).toMatchObject({
      status: 'problem',
      fix: expect.stringMatching(/^Run "avm402 optin --asset 10458941" once/),
    });
    await stage.chain.deal(address, TESTNET.usdcAssetId, 9_999n);
    const short = await examine(sound(), { AVM_PRIVATE_KEY: key });
    expect(short.of('payer asset')).toMatchObject({ status: 'problem', message: expect.stringContaining('9999') });
  });
});

describe('the facilitator', () => {
  const supporting =
    (kinds: readonly object[], signers: readonly string[] = [sponsor]): Answers =>
    () => ({
      body: JSON.stringify({ kinds, extensions: [], signers: { 'algorand:*': signers } }),
    });
  const kind = { x402Version: 2, scheme: 'exact', network };

  it.each<[string, Answers, string, RegExp]>([
    ['supports the offer', supporting([kind]), 'ok', /supports exact/],
    [
      'supports another network',
      supporting([{ ...kind, network: 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k' }]),
      'problem',
      /does not support/,
    ],
    ['has another fee payer', supporting([kind], [accounts.payer2.address]), 'problem', /not one of its accounts/],
    ['answers something else', () => ({ body: 'hello' }), 'problem', /does not answer as a facilitator/],
    ['is down', () => ({ status: 502 }), 'problem', /answers 502/],
  ])('%s', async (_what, answers, status, message) => {
    const facilitator = await stage.sellerThat(answers);
    const { of } = await examine(sound(), {}, ['--facilitator', facilitator.url]);
    expect(of('facilitator')).toMatchObject({ status, message: expect.stringMatching(message) });
  });
});

it('examines a route that takes a body and a key as it is called, and pays nothing', async () => {
  const { code, of } = await examine(
    (seen, all) =>
      seen.method === 'OPTIONS' || (seen.body === 'q=1' && seen.headers['x-key'] === 'mine')
        ? sound()(seen, all)
        : { status: 400 },
    {},
    ['-d', 'q=1', '-H', 'X-Key: mine'],
  );
  expect(of('CORS')).toMatchObject({ status: 'ok' });
  expect(code).toBe(0);
});

it('compares the clocks of this machine, of the endpoint and of the chain', async () => {
  const ahead = { now: () => Date.now() + 3_600_000 };
  const { findings } = await examine(sound(), {}, [], ahead);
  const clocks = findings.filter(({ check }) => check === 'clock');
  expect(clocks).toMatchObject([
    { status: 'warning', message: expect.stringContaining('the endpoint'), fix: expect.stringContaining('NTP') },
    { status: 'warning', message: expect.stringContaining('the last block'), fix: expect.stringContaining('NTP') },
  ]);
});

it('examines an offer once whose network comes in two spellings', async () => {
  const { findings } = await examine(() =>
    asking([{}, { network: 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=' }]),
  );
  expect(findings.filter(({ check }) => check.startsWith('offer'))).toHaveLength(1);
});

describe('what only some clients stumble over is a warning, and the exit code is 0', () => {
  it.each<[string, Answers, string, RegExp]>([
    ['a 402 that may be cached', sound({ headers: { 'Cache-Control': 'max-age=60' } }), 'cache', /cached/],
    ['no CORS', () => asking(), 'CORS', /does not allow the origin/],
    ['a resource under another origin', () => asking(), 'proxy URL', /elsewhere\.example/],
    ['a price above the default limit', () => asking([{ amount: '1000001' }]), 'limits', /above the limit/],
    [
      'a second offer on another chain',
      () => asking([{}, { network: 'eip155:8453', asset: '0x1', payTo: '0x2' }]),
      'offer 2',
      /not Algorand/,
    ],
    [
      'an offer too large for many proxies',
      () => asking([{}], { resource: { url: 'http://x.example', description: 'x'.repeat(6000), mimeType: '' } }),
      'header size',
      /many proxies stop/,
    ],
    ['a clock that is wrong', sound({ headers: { Date: 'Mon, 01 Jan 2024 00:00:00 GMT' } }), 'clock', /seconds apart/],
  ])('%s', async (_what, answers, check, message) => {
    const { code, of } = await examine(answers);
    expect(of(check)).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(message),
      fix: expect.any(String),
    });
    expect(code).toBe(0);
  });
});

describe('bursts of payments', () => {
  const bursts = async (options: DevnodeOptions, more: RunOptions = {}): Promise<Finding | undefined> => {
    const node = await startDevnode({ port: 0, network: 'testnet', ...options });
    const { of } = await examine(sound(), { ALGOD_URL: node.url }, [], more);
    await node.stop();
    return of('bursts');
  };
  /** The node as a real algod, which has no developer controls. */
  const withoutControls: typeof fetch = (url, init) =>
    new Request(url).url.endsWith('/dev/state')
      ? Promise.resolve(new Response(null, { status: 404 }))
      : fetch(url, init);

  it.each<[string, DevnodeOptions]>([
    ['that paces its blocks', {}],
    ['with blocks at an interval', { blocks: { everyMs: 50 }, strict: true }],
  ])('settle on a node %s', async (_what, options) => {
    expect(await bursts(options)).toMatchObject({ status: 'ok' });
  });

  it('settle on a real algod that is not in dev mode', async () => {
    const genesis = (await stage.chain.algod.genesis()).replace(/"devmode": *true/, '"devmode": false');
    const node = await startDevnode({ port: 0, genesis });
    const terminal = { environment: { ALGOD_URL: node.url }, fetch: withoutControls };
    expect(await examineBursts(createAlgodClient(node), terminal)).toMatchObject([{ status: 'ok' }]);
    await node.stop();
  });

  it.each<[string, DevnodeOptions, RunOptions]>([
    ['exactly as in dev mode', { strict: true }, {}],
    ['and is a real algod in dev mode', {}, { fetch: withoutControls }],
  ])('partly expire on a node that makes a block for each, %s', async (_what, options, more) => {
    expect(await bursts(options, more)).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('ten rounds'),
      fix: expect.stringContaining('--block-time 2.8s'),
    });
  });
});
