import { accountFromSeed } from '@avm402/algorand/account';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { parseSettleResponse } from '@avm402/core/settle-response';
import { parseSupportedResponse } from '@avm402/core/supported-response';
import { HTTPFacilitatorClient } from '@x402/core/server';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { createFacilitatorApp, type Facilitator } from '../../src/index.ts';
import { eventually } from '../eventually.ts';
import { Harness, KEY } from '../harness.ts';
import { type ModelPayment, modelPayment } from '../model-payment.ts';
import { sponsor, sponsorship } from '../model-sponsor.ts';

const h = new Harness();
const logged: string[] = [];
const note = (facts: object, message: string): void => void logged.push(`${message} ${JSON.stringify(facts)}`);
const log = { debug: note, info: note, warn: note, error: note };
let app: FastifyInstance | undefined;

afterEach(async () => {
  await app?.close();
  logged.length = 0;
});

function serve(facilitator: Facilitator = h.create({ log })): FastifyInstance {
  app = createFacilitatorApp(facilitator, { log });
  return app;
}

const bodyOf = ({ payload, requirements }: ModelPayment) => ({
  x402Version: 2,
  paymentPayload: payload,
  paymentRequirements: requirements,
});

describe('POST /verify', () => {
  it('answers 200 with the verdict, right or wrong', async () => {
    const server = serve();
    const payment = modelPayment(h.chain);
    const right = await server.inject({ method: 'POST', url: '/verify', payload: bodyOf(payment) });
    expect([right.statusCode, right.json()]).toEqual([200, { isValid: true, payer: payment.payer.address }]);
    const wrong = modelPayment(h.chain, { changes: { amount: 1n } });
    const answer = await server.inject({ method: 'POST', url: '/verify', payload: bodyOf(wrong) });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ isValid: false, invalidReason: 'invalid_exact_avm_amount_mismatch' });
  });

  it.each([
    ['an unknown network', { network: 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k' }, 'unsupported_network'],
    ['no network', { network: 7 }, 'invalid_payment_requirements'],
    ['a broken amount', { amount: '1.5' }, 'invalid_payment_requirements'],
  ])('refuses %s with 200', async (_, change, invalidReason) => {
    const { payload, requirements } = modelPayment(h.chain);
    const body = { paymentPayload: payload, paymentRequirements: { ...requirements, ...change } };
    const answer = await serve().inject({ method: 'POST', url: '/verify', payload: body });
    expect([answer.statusCode, answer.json()]).toMatchObject([200, { isValid: false, invalidReason }]);
  });
});

describe('POST /settle', () => {
  it('settles, and recognises its caller by the Idempotency-Key', async () => {
    const server = serve();
    const payment = modelPayment(h.chain);
    const ask = (key?: string) =>
      server.inject({
        method: 'POST',
        url: '/settle',
        payload: bodyOf(payment),
        headers: key === undefined ? {} : { 'Idempotency-Key': key },
      });
    const first = await ask(KEY);
    expect([first.statusCode, first.json()]).toMatchObject([200, { success: true, transaction: payment.txId }]);
    expect((await ask(KEY)).json()).toEqual(first.json());
    const duplicate = await ask();
    expect(duplicate.statusCode).toBe(200);
    expect(parseSettleResponse(duplicate.json())).toMatchObject({
      success: false,
      errorReason: 'duplicate_settlement',
      transaction: payment.txId,
      network: payment.requirements.network,
    });
  });

  it('keeps a success without a key for the next to ask if its caller left before', async () => {
    h.chain.instant = false;
    const server = serve(h.create({ settleTimeoutMs: 10_000 }));
    const url = `${await server.listen({ host: '127.0.0.1', port: 0 })}/settle`;
    const payment = modelPayment(h.chain);
    const leaving = new AbortController();
    const headers = { 'Content-Type': 'application/json' };
    const ask = { method: 'POST', headers, body: JSON.stringify(bodyOf(payment)) };
    const left = fetch(url, { ...ask, signal: leaving.signal });
    await eventually(() => h.chain.pool.size === 1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    const connections = promisify(server.server.getConnections.bind(server.server));
    await eventually(async () => (await connections()) === 0);
    h.chain.mine();
    const answers = [await fetch(url, ask), await fetch(url, ask)];
    const [first, second] = await Promise.all(answers.map(async (answer) => answer.json()));
    expect(first).toMatchObject({ success: true, transaction: payment.txId });
    expect(second).toMatchObject({ errorReason: 'duplicate_settlement' });
  });

  it('always answers with text for transaction and network', async () => {
    const server = serve();
    for (const requirements of [{}, { network: 5 }, { network: 'x'.repeat(10_000) }]) {
      const payload = { paymentPayload: {}, paymentRequirements: requirements };
      const answer = (await server.inject({ method: 'POST', url: '/settle', payload })).json();
      expect(answer).toMatchObject({ success: false, transaction: '', network: expect.any(String) });
      expect(answer.network.length).toBeLessThanOrEqual(64);
    }
  });
});

describe('what is no request', () => {
  it.each(['/verify', '/settle'])('is answered 400 by %s', async (url) => {
    const server = serve();
    const bodies = [
      '',
      'no json',
      '[]',
      '7',
      'null',
      '{}',
      '{"paymentPayload":{}}',
      '{"paymentPayload":[],"paymentRequirements":{}}',
    ];
    for (const payload of bodies) {
      const headers = { 'Content-Type': 'application/json' };
      const answer = await server.inject({ method: 'POST', url, payload, headers });
      expect([payload, answer.statusCode, answer.json().error]).toEqual([payload, 400, 'invalid_request']);
    }
    const form = await server.inject({ method: 'POST', url, payload: 'a=b', headers: { 'Content-Type': 'text/x' } });
    expect([form.statusCode, form.json().error]).toEqual([400, 'invalid_request']);
    const huge = await server.inject({ method: 'POST', url, payload: { paymentPayload: { x: 'x'.repeat(300_000) } } });
    expect([huge.statusCode, huge.json().error]).toEqual([400, 'invalid_request']);
    const polluted = await server.inject({
      method: 'POST',
      url,
      payload: '{"__proto__":{"x":1},"paymentPayload":{},"paymentRequirements":{}}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(polluted.statusCode).toBe(400);
  });

  it('is answered 404 elsewhere', async () => {
    expect((await serve().inject('/nothing')).statusCode).toBe(404);
  });
});

describe('trouble of our own', () => {
  it('is 503 with a code and a time to wait, and nothing from inside', async () => {
    const server = serve();
    const payment = modelPayment(h.chain);
    await server.inject('/supported');
    h.node.fault = () => 'lost before';
    for (const url of ['/verify', '/settle']) {
      const answer = await server.inject({ method: 'POST', url, payload: bodyOf(payment) });
      expect(answer.statusCode).toBe(503);
      expect(answer.headers['retry-after']).toBe('2');
      expect(answer.json()).toEqual({ error: 'algod_unreachable', message: 'algod does not answer.' });
    }
    expect((await server.inject('/health')).statusCode).toBe(200);
    expect((await server.inject('/ready')).statusCode).toBe(503);
  });

  it('that nobody foresaw shows neither text nor stack', async () => {
    const facilitator = h.create();
    facilitator.verify = () => Promise.reject(new Error('canary-inside'));
    const payment = modelPayment(h.chain);
    const answer = await serve(facilitator).inject({ method: 'POST', url: '/verify', payload: bodyOf(payment) });
    expect(answer.statusCode).toBe(503);
    expect(answer.body).not.toContain('canary');
    expect(answer.json()).toMatchObject({ error: 'unexpected_verify_error' });
  });
});

describe('look-ups', () => {
  it('say what is supported: the long name of the network first', async () => {
    const another = accountFromSeed(new Uint8Array(32).fill(71));
    const facilitator = h.create({ sponsorship: { ...sponsorship, moreAccounts: [another] } });
    const answer = parseSupportedResponse((await serve(facilitator).inject('/supported')).json());
    const long = `algorand:${h.chain.genesis.genesisHash}`;
    const kind = { x402Version: 2, extra: { feePayer: sponsor.address } };
    const networks = [long, 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe'];
    const sponsored = { payTo: sponsorship.payTo, assets: ['10458941'], minAmount: '1000' };
    expect(answer).toEqual({
      kinds: networks.flatMap((network) => [
        { ...kind, scheme: 'exact', network, ...(network === long && { extra: { ...kind.extra, sponsored } }) },
        { ...kind, scheme: 'upto', network, extra: { feePayer: another.address } },
      ]),
      extensions: [],
      signers: { 'algorand:*': [sponsor.address, another.address] },
    });
  });

  it('tell the id of the store in a header, which replicas share, and nothing of it in a kind', async () => {
    const facilitator = h.create({ sponsorship });
    const { headers, body } = await serve(facilitator).inject('/supported');
    expect(headers['x402-store-id']).toBe(await facilitator.storeId());
    expect(body).not.toContain(await facilitator.storeId());
  });

  it('name no fee payer where nobody is sponsored', async () => {
    const nobody = h.create({ sponsorship: { account: sponsor } });
    const answer = parseSupportedResponse((await serve(nobody).inject('/supported')).json());
    expect(answer.kinds.every(({ extra = {} }) => !('feePayer' in extra))).toBe(true);
    expect(answer.signers).toEqual({ 'algorand:*': [] });
  });

  it('tell what became of a payment', async () => {
    const server = serve();
    const payment = modelPayment(h.chain);
    await server.inject({ method: 'POST', url: '/settle', payload: bodyOf(payment) });
    const answer = await server.inject(`/settlements/${payment.txId}`);
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        transaction: payment.txId,
        network: payment.requirements.network,
        state: 'confirmed',
        final: true,
        payer: payment.payer.address,
        lastValid: Number(payment.lastValid),
        confirmedRound: 11,
      },
    ]);
  });

  it.each(['A'.repeat(52), 'nonsense', '..%2f..'])('answer 404 for the unknown payment %s', async (txId) => {
    const answer = await serve().inject(`/settlements/${txId}`);
    expect([answer.statusCode, answer.json().error]).toEqual([404, 'settlement_not_found']);
  });

  it('tell whether the facilitator works', async () => {
    const answer = await serve().inject('/ready');
    expect([answer.statusCode, answer.json()]).toMatchObject([200, { status: 'ready', networks: [{ round: 10 }] }]);
  });
});

describe('over a socket', () => {
  it('is a facilitator to the stock client', async () => {
    const facilitator = h.create({ sponsorship });
    const url = await serve(facilitator).listen({ host: '127.0.0.1', port: 0 });
    const client = new HTTPFacilitatorClient({ url });
    const payment = modelPayment(h.chain);
    expect(await client.getSupported()).toEqual(await facilitator.getSupported());
    expect(await client.verify(payment.payload, payment.requirements)).toMatchObject({ isValid: true });
    expect(await client.settle(payment.payload, payment.requirements)).toMatchObject({ success: true });
    expect(await client.settle(payment.payload, payment.requirements)).toMatchObject({
      success: false,
      errorReason: 'duplicate_settlement',
    });
  });
});

describe('a facilitator that closes', () => {
  it('answers what is under way; whoever asks only now is told so, and when to ask again', async () => {
    h.chain.instant = false;
    const server = serve(h.create({ settleTimeoutMs: 10_000, log }));
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    const payment = modelPayment(h.chain);
    const body = JSON.stringify(bodyOf(payment));
    const settling = fetch(`${url}/settle`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    await eventually(() => h.chain.pool.has(payment.txId));
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(server.server, 'connection');
    const closed = server.close();
    socket.write(`GET /supported HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    const answer = await textOf(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/^retry-after: 2\r$/im);
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(answer).toContain('{"error":"shutting_down","message":"The facilitator is shutting down."}');
    h.chain.mine();
    expect(await (await settling).json()).toMatchObject({ success: true, transaction: payment.txId });
    await closed;
    expect(logged.filter((line) => line.startsWith('a request failed'))).toEqual([]);
  });
});

describe('the log', () => {
  it('tells what happened, and holds neither payment nor key', async () => {
    const server = serve();
    const payment = modelPayment(h.chain);
    const headers = { 'Idempotency-Key': KEY };
    await server.inject({ method: 'POST', url: '/settle', payload: bodyOf(payment), headers });
    h.node.fault = () => 'lost before';
    await server.inject({ method: 'POST', url: '/verify', payload: bodyOf(modelPayment(h.chain)) });
    const text = logged.join('\n');
    expect(text).toContain(payment.txId);
    expect(text).toContain('a request failed');
    expect(text).not.toContain(KEY);
    expect(text).not.toContain((payment.payload.payload['paymentGroup'] as string[])[0]);
  });
});
