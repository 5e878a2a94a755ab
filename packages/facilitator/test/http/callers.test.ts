import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { parseSupportedResponse, sponsoredOffersOf } from '@avm402/core/supported-response';
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server';
import { accountFromSeed } from '@avm402/algorand/account';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  Callers,
  createFacilitator,
  createFacilitatorApp,
  type FacilitatorAppOptions,
  type FacilitatorOptions,
  Metrics,
} from '../../src/index.ts';
import { silentLog } from '../../src/log/log.ts';
import { DevnodeHarness } from '../devnode-harness.ts';
import { eventually } from '../eventually.ts';
import { KEY } from '../harness.ts';

const SHOP_KEY = 'shop-key-0123456789abcdef';
const UNLISTED_KEY = 'unlisted-key-0123456789abcdef';
const OPERATOR_KEY = 'operator-key-0123456789abcdef';
const keySha256 = (key: string): string => createHash('sha256').update(key).digest('hex');
const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

let h: DevnodeHarness;
let url: string;
let lines: { message: string; facts: object }[];
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  lines = [];
  h = await DevnodeHarness.start({ node: { blocks: 'manual' } });
});

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  await h.stop();
});

async function serve(options: FacilitatorAppOptions = {}, settings: Partial<FacilitatorOptions> = {}): Promise<void> {
  const note = (facts: object, message: string): void => void lines.push({ message, facts });
  const facilitator = createFacilitator({
    networks: [{ algods: [h.algod] }],
    sponsorship: { account: h.account('facilitator'), anyone: true },
    settleTimeoutMs: 50,
    ...settings,
  });
  await facilitator.start();
  const app = createFacilitatorApp(facilitator, { log: { ...silentLog, info: note }, ...options });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
  closing.push(
    () => facilitator.close(),
    async () => app.close(),
  );
}

function callers(): Callers {
  const receivers = [h.account('merchant').address];
  return Callers.parse(
    JSON.stringify([
      { name: 'shop', keySha256: keySha256(SHOP_KEY), receivers, perMinute: 3 },
      { name: 'operations', keySha256: keySha256(OPERATOR_KEY), operator: true },
    ]),
  );
}

async function post(path: string, headers: Record<string, string> = {}, payTo = h.account('merchant').address) {
  const paymentRequirements = h.requirements({ payTo });
  const body = JSON.stringify({ paymentPayload: await h.pay(paymentRequirements), paymentRequirements });
  const all = { 'Content-Type': 'application/json', 'Idempotency-Key': KEY, ...headers };
  const response = await fetch(`${url}${path}`, { method: 'POST', headers: all, body });
  return { status: response.status, headers: response.headers, answer: (await response.json()) as object };
}

const from = (ip: string) => ({ 'X-Forwarded-For': ip });

describe('where callers have keys', () => {
  it('verify and settle need one; whoever has none is told how to send it, and has a line in the log', async () => {
    await serve({ callers: callers() });
    for (const path of ['/verify', '/settle']) {
      for (const headers of [{}, bearer('some-other-key-0123456789'), { Authorization: SHOP_KEY }]) {
        const refused = await post(path, headers);
        expect([refused.status, refused.answer]).toMatchObject([401, { error: 'caller_unknown' }]);
        expect(refused.headers.get('www-authenticate')).toBe('Bearer');
      }
    }
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatchObject({
      message: 'a request was refused',
      facts: { route: '/verify', status: 401, code: 'caller_unknown', ip: '127.0.0.1' },
    });
    expect((await post('/verify', bearer(SHOP_KEY))).answer).toMatchObject({ isValid: true });
    for (const path of ['/supported', '/health', '/ready']) expect((await fetch(`${url}${path}`)).status).toBe(200);
  });

  it('a key stands for its own receivers only', async () => {
    await serve({ callers: callers() });
    const other = accountFromSeed(new Uint8Array(32).fill(77)).address;
    for (const path of ['/verify', '/settle']) {
      const refused = await post(path, bearer(SHOP_KEY), other);
      expect([refused.status, refused.answer]).toMatchObject([403, { error: 'receiver_not_allowed' }]);
    }
    expect(lines[0]).toMatchObject({ facts: { caller: 'shop', status: 403 } });
  });

  it('a key has its own limit, and an answer beyond it says when to come back', async () => {
    let clock = Date.now();
    await serve({ callers: callers(), now: () => clock });
    for (let count = 0; count < 3; count += 1) expect((await post('/verify', bearer(SHOP_KEY))).status).toBe(200);
    const refused = await post('/verify', bearer(SHOP_KEY));
    expect([refused.status, refused.answer]).toMatchObject([429, { error: 'too_many_requests' }]);
    expect(refused.headers.get('retry-after')).toBe('20');
    clock += 20_000;
    expect((await post('/verify', bearer(SHOP_KEY))).status).toBe(200);
    expect((await post('/verify', bearer(OPERATOR_KEY))).status).toBe(200);
  });

  it('metrics are the operator’s', async () => {
    await serve({ callers: callers(), metrics: new Metrics() });
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${url}/metrics`, { headers })).status;
    expect([await status({}), await status(bearer(SHOP_KEY)), await status(bearer(OPERATOR_KEY))]).toEqual([
      401, 403, 200,
    ]);
  });

  it('a settlement’s line names the key that brought it', async () => {
    const ended: object[] = [];
    const info = (facts: object, message: string): void => void (message === 'settlement ended' && ended.push(facts));
    await serve({ callers: callers() }, { log: { ...silentLog, info } });
    expect((await post('/settle', bearer(SHOP_KEY))).answer).toMatchObject({ errorReason: 'settlement_pending' });
    await h.devnode.mine();
    await eventually(() => ended.length > 0);
    expect(ended).toMatchObject([{ caller: 'shop', outcome: 'confirmed' }]);
  });
});

describe('what is supported, where callers have keys', () => {
  const feePayers = async (key?: string): Promise<unknown[]> => {
    const response = await fetch(`${url}/supported`, { headers: key === undefined ? {} : bearer(key) });
    const { kinds } = parseSupportedResponse(await response.json());
    return kinds.filter(({ scheme }) => scheme === 'exact').map(({ extra }) => extra?.['feePayer']);
  };

  it('promises a fee payer to a seller whose payments it will be paying for, and to no other', async () => {
    const account = h.account('facilitator');
    const unlisted = { name: 'unlisted', keySha256: keySha256(UNLISTED_KEY), receivers: [h.account('payer').address] };
    const listed = { name: 'listed', keySha256: keySha256(SHOP_KEY), receivers: [h.account('merchant').address] };
    const keys = Callers.parse(JSON.stringify([unlisted, listed]));
    const sponsorship = { account, payTo: [h.account('merchant').address], anyone: false };
    await serve({ callers: keys }, { sponsorship });
    expect(await feePayers(SHOP_KEY)).toEqual([account.address, account.address]);
    expect(await feePayers(UNLISTED_KEY)).toEqual([undefined, undefined]);
    expect(await feePayers()).toEqual([undefined, undefined]);
  });

  it('says whom it pays for: to a key, which of its receivers; without keys, who is on the list', async () => {
    const [merchant, other] = [h.account('merchant').address, h.account('payer').address];
    const sponsorship = { account: h.account('facilitator'), payTo: [merchant, other], anyone: false };
    const told = async (headers = {}): Promise<unknown> => {
      const { kinds } = parseSupportedResponse(await (await fetch(`${url}/supported`, { headers })).json());
      return kinds.map(sponsoredOffersOf).find((offers) => offers !== undefined)?.payTo;
    };
    await serve({ callers: callers() }, { sponsorship });
    expect([await told(bearer(SHOP_KEY)), await told()]).toEqual([[merchant], undefined]);
    await serve({}, { sponsorship });
    expect(await told()).toEqual([merchant, other]);
    await serve({}, { sponsorship: { ...sponsorship, anyone: true } });
    expect(await told()).toBeUndefined();
  });

  it('promises it to everybody with a key where anybody is sponsored', async () => {
    await serve({ callers: callers() });
    const { address } = h.account('facilitator');
    expect(await feePayers(SHOP_KEY)).toEqual([address, address]);
  });

  it('reaches the 402 of a shop that sends its key', async () => {
    const account = h.account('facilitator');
    const receiver = accountFromSeed(new Uint8Array(32).fill(79)).address;
    const keys = Callers.parse(
      JSON.stringify([{ name: 'unlisted', keySha256: keySha256(UNLISTED_KEY), receivers: [receiver] }]),
    );
    await serve({ callers: keys }, { sponsorship: { account, payTo: [h.account('merchant').address], anyone: false } });
    const headers = bearer(UNLISTED_KEY);
    const createAuthHeaders = async () => ({ verify: headers, settle: headers, supported: headers });
    const client = new HTTPFacilitatorClient({ url, createAuthHeaders });
    const server = new x402ResourceServer(client).register('algorand:*', new ExactAvmServer());
    await server.initialize();
    const [offer] = await server.buildPaymentRequirements({
      scheme: 'exact',
      network: h.network,
      payTo: receiver,
      price: '$0.01',
    });
    expect(offer).toMatchObject({ payTo: receiver });
    expect(offer?.extra).not.toHaveProperty('feePayer');
  });
});

describe('the limit of an address', () => {
  it('counts by what a trusted proxy forwards, and leaves other addresses alone', async () => {
    await serve({ perIp: 2, trustedProxies: ['127.0.0.1'] });
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await post('/verify', from('203.0.113.7'))).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await post('/verify', from('203.0.113.8'))).status).toBe(200);
    expect((await fetch(`${url}/health`, { headers: from('203.0.113.7') })).status).toBe(200);
  });

  it.each([
    ['2001:db8:1:2::7', '2001:db8:1:2:ffff::1', 429],
    ['2001:db8::1', '2001:db8:0:0:1::', 429],
    ['2001:db8:1:2::7', '2001:db8:1:3::7', 200],
    ['203.0.113.7', '::ffff:203.0.113.7', 429],
  ])('counts %s and %s as whoever has one has the other', async (first, second, status) => {
    await serve({ perIp: 1, trustedProxies: ['127.0.0.1'] });
    expect((await post('/verify', from(first))).status).toBe(200);
    expect((await post('/verify', from(second))).status).toBe(status);
  });

  it('holds for bad requests, too, which are refused before their body is read', async () => {
    await serve({ perIp: 5, trustedProxies: ['127.0.0.0/8'] });
    const statuses = [];
    for (let count = 0; count < 400; count += 1) {
      const headers = { 'Content-Type': 'application/json', ...from('203.0.113.9') };
      statuses.push((await fetch(`${url}/verify`, { method: 'POST', headers, body: '{}' })).status);
    }
    expect(statuses.slice(0, 5)).toEqual([400, 400, 400, 400, 400]);
    expect(new Set(statuses.slice(5))).toEqual(new Set([429]));
    expect(lines).toHaveLength(400);
  });

  it('can’t be escaped by a header from whoever is no trusted proxy', async () => {
    await serve({ perIp: 1, trustedProxies: ['198.51.100.1'] });
    await post('/verify', from('203.0.113.7'));
    await fetch(`${url}/nothing`, { headers: from('203.0.113.7') });
    expect(lines.at(-1)?.facts).toMatchObject({ ip: '127.0.0.1', status: 404 });
  });
});

describe('the limit of a payer', () => {
  it('refuses more settlements a minute, in verify already, and tells the buyer when to come back', async () => {
    let clock = Date.now();
    await serve({}, { limits: { perPayer: 2 }, now: () => clock });
    expect((await post('/settle')).answer).toMatchObject({ errorReason: 'settlement_pending' });
    expect((await post('/settle')).answer).toMatchObject({ errorReason: 'settlement_pending' });
    const refusal = { invalidReason: 'too_many_requests', invalidMessage: expect.stringContaining('in 30 seconds') };
    expect(await post('/verify')).toMatchObject({ status: 200, answer: { isValid: false, ...refusal } });
    expect(await post('/settle')).toMatchObject({ status: 200, answer: { errorReason: 'too_many_requests' } });
    clock += 30_000;
    expect((await post('/verify')).answer).toMatchObject({ isValid: true });
  });

  it('is not used up by somebody else who signs garbage under the payer’s address', async () => {
    await serve({}, { limits: { perPayer: 1 } });
    const requirements = h.requirements();
    const payment = await h.pay();
    const group = (payment.payload['paymentGroup'] as string[]).map((member) => Buffer.from(member, 'base64'));
    const last = group.at(-1);
    if (last === undefined) throw new Error('an empty group');
    // The signature's bytes come first in the member's map.
    last[20] = (last[20] ?? 0) ^ 1;
    const forged = {
      ...payment,
      payload: { ...payment.payload, paymentGroup: group.map((one) => one.toString('base64')) },
    };
    for (let count = 0; count < 5; count += 1) {
      const body = JSON.stringify({ paymentPayload: forged, paymentRequirements: requirements });
      const headers = { 'Content-Type': 'application/json' };
      const answer = await (await fetch(`${url}/settle`, { method: 'POST', headers, body })).json();
      expect(answer).toMatchObject({ success: false, errorReason: 'invalid_exact_avm_invalid_signature' });
    }
    expect((await post('/settle')).answer).toMatchObject({ errorReason: 'settlement_pending' });
  });
});

it('the limit of a receiver refuses more settlements to it a minute', async () => {
  await serve({}, { limits: { perReceiver: 1 } });
  expect((await post('/settle')).answer).toMatchObject({ errorReason: 'settlement_pending' });
  expect((await post('/settle')).answer).toMatchObject({ errorReason: 'too_many_requests' });
});

describe('work', () => {
  it('is bounded: beyond it requests are answered 503 at once, and health is still answered', async () => {
    await serve({ maxInFlight: 2 }, { settleTimeoutMs: 3_000 });
    const waiting = [post('/settle'), post('/settle')];
    await eventually(async () => (await (await fetch(`${url}/ready`)).json()).settlements.pending === 2);
    const refused = await post('/verify');
    expect([refused.status, refused.answer]).toMatchObject([503, { error: 'facilitator_busy' }]);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await h.devnode.mine();
    await Promise.all(waiting);
    expect((await post('/verify')).status).toBe(200);
  });

  it('of a caller that left does not count any longer', async () => {
    await serve({ maxInFlight: 1 }, { settleTimeoutMs: 30_000 });
    const paymentRequirements = h.requirements();
    const body = JSON.stringify({ paymentPayload: await h.pay(paymentRequirements), paymentRequirements });
    const headers = { 'Content-Type': 'application/json' };
    const leaving = httpRequest(`${url}/settle`, { method: 'POST', headers }).on('error', () => {});
    leaving.end(body);
    await eventually(async () => (await (await fetch(`${url}/ready`)).json()).settlements.pending === 1);
    expect((await post('/verify')).status).toBe(503);
    leaving.destroy();
    await eventually(async () => (await post('/verify')).status === 200);
    await h.devnode.mine();
  });

  it('has bounded headers', async () => {
    await serve();
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET /supported HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(await textOf(socket)).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('a page in a browser', () => {
  const ask = async (origin: string, method = 'GET') =>
    fetch(`${url}/supported`, { method, headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' } });

  it('of a configured origin may ask, and read the answer', async () => {
    await serve({ corsOrigins: ['https://shop.example'] });
    const { headers } = await ask('https://shop.example');
    expect(headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
    expect((await ask('https://shop.example', 'OPTIONS')).status).toBe(204);
    expect((await ask('https://other.example')).headers.get('access-control-allow-origin')).toBeNull();
  });

  it('of a configured origin may also read why it is refused, and when to ask again', async () => {
    const headers = { Origin: 'https://shop.example', ...from('203.0.113.7') };
    const readable = { 'access-control-allow-origin': 'https://shop.example', vary: 'Origin' };
    const asked = async (path: string) => {
      const answer = await fetch(`${url}${path}`, { headers });
      return { status: answer.status, headers: Object.fromEntries(answer.headers) };
    };
    await serve({
      corsOrigins: ['https://shop.example'],
      callers: callers(),
      metrics: new Metrics(),
      perIp: 1,
      trustedProxies: ['127.0.0.1'],
    });
    expect(await asked('/metrics')).toMatchObject({ status: 401, headers: readable });
    expect(await asked('/supported')).toMatchObject({ status: 429, headers: { ...readable, 'retry-after': '60' } });
    expect((await ask('https://shop.example', 'OPTIONS')).status).toBe(204);
    await serve({ corsOrigins: ['https://shop.example'], maxInFlight: 0 });
    expect(await asked('/supported')).toMatchObject({ status: 503, headers: { ...readable, 'retry-after': '2' } });
  });

  it('may not where no origin is configured', async () => {
    await serve();
    expect((await ask('https://shop.example')).headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the file of callers', () => {
  const one = { name: 'shop', keySha256: keySha256(SHOP_KEY) };
  it.each([
    ['no JSON', '{', /not JSON/],
    ['no list', '{}', /array/i],
    ['nobody', '[]', /\S/],
    ['a key as it is', JSON.stringify([{ ...one, keySha256: SHOP_KEY }]), /0\.keySha256 must be the SHA-256/],
    ['an unknown member', JSON.stringify([{ ...one, receiver: [] }]), /receiver/],
    ['a receiver that is none', JSON.stringify([{ ...one, receivers: ['X'] }]), /0\.receivers\.0 must be Algorand/],
    [
      'claim keys for no receivers',
      JSON.stringify([{ ...one, claimKeys: [accountFromSeed(new Uint8Array(32).fill(1)).address] }]),
      /0 names claimKeys without receivers/,
    ],
    ['two of one name', JSON.stringify([one, { ...one, keySha256: keySha256('x') }]), /shop: another caller/],
    ['two of one key', JSON.stringify([one, { ...one, name: 'b' }]), /b: another caller/],
  ])('is refused with %s', (_, content, message) => {
    expect(() => Callers.parse(content)).toThrow(
      expect.objectContaining({ code: 'environment_invalid', message: expect.stringMatching(message) }),
    );
  });

  it('never quotes a key that was written where its hash belongs', () => {
    expect(() => Callers.parse(JSON.stringify([{ ...one, keySha256: SHOP_KEY }]))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(SHOP_KEY) }),
    );
  });
});
