import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createAlgodClient } from '@avm402/algorand/algod';
import { parseAccount } from '@avm402/algorand/account';
import { decodeMember } from '@avm402/algorand/signed-transaction';
import { ExactAvmServer } from '@avm402/avm/exact/server';
import { createPayingFetch, settlementOf } from '@avm402/client';
import { developmentAccounts, type Devnode, startDevnode } from '@avm402/devnode';
import { createFacilitator, createFacilitatorApp } from '@avm402/facilitator';
import { createSeller, HTTPFacilitatorClient, x402ResourceServer } from '@avm402/server';
import { recordSpans } from '@avm402/testkit/spans';
import express from 'express';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { served } from '../served.ts';

const spans = recordSpans();
const { tracer } = spans;

let ending: AsyncDisposableStack;
let fetchPaid: typeof fetch;
let url: string;
/** The header of the last payment that was sent. */
let signature: string;

beforeEach(async () => {
  spans.forget();
  ending = new AsyncDisposableStack();
  const node = await startDevnode({ port: 0 });
  ending.defer(() => node.stop());
  url = `${await shop(await facilitatorOn(node), node)}/report`;
  const { payer } = node.accounts;
  fetchPaid = createPayingFetch({
    account: parseAccount(payer.privateKey),
    networks: { 'algorand:*': { url: node.url, token: node.token } },
    tracer,
    traceDetails: true,
    fetch: async (input, init) => {
      signature = new Headers(init?.headers).get('PAYMENT-SIGNATURE') ?? '';
      return fetch(input, init);
    },
  });
});
afterEach(() => ending.disposeAsync());

async function facilitatorOn(node: Devnode): Promise<string> {
  const facilitator = createFacilitator({
    networks: [{ algods: [createAlgodClient({ url: node.url, token: node.token })] }],
    sponsorship: { account: parseAccount(node.accounts.facilitator.privateKey) },
    tracer,
  });
  const app = createFacilitatorApp(facilitator);
  ending.defer(() => facilitator.close());
  ending.defer(() => app.close());
  return app.listen({ host: '127.0.0.1', port: 0 });
}

async function shop(facilitatorUrl: string, node: Devnode): Promise<string> {
  const facilitator = new HTTPFacilitatorClient({ url: facilitatorUrl });
  const server = new x402ResourceServer(facilitator).register('algorand:*', new ExactAvmServer());
  const seller = createSeller({ server, tracer, traceDetails: true });
  const accepts = await seller.accepts({ price: '$0.01', payTo: node.accounts.merchant.address });
  const app = express();
  app.get('/report', seller.paid({ accepts }), (_request, response) => void response.json({ report: 1 }));
  const listening = await served(app);
  ending.defer(() => listening.stop());
  return listening.url;
}

/** The spans as a tree of names; children in the order in which they began. */
function tree(parent?: string): readonly (string | readonly unknown[])[] {
  const children = spans.ended.filter((span) => span.parentSpanContext?.spanId === parent);
  const inOrder = children.toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
  return inOrder.flatMap((span) => {
    const below = tree(span.spanContext().spanId);
    return below.length === 0 ? [span.name] : [span.name, below];
  });
}

it('the example of docs/telemetry.md makes a seller and a paying fetch', async () => {
  const page = readFileSync(new URL('../../docs/telemetry.md', import.meta.url), 'utf8');
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  const program = `
    import { parseAccount } from '@avm402/client';
    import { HTTPFacilitatorClient, x402ResourceServer } from '@avm402/server';
    const server = new x402ResourceServer(new HTTPFacilitatorClient({ url: 'http://127.0.0.1:4022' }));
    const account = parseAccount('${developmentAccounts().payer.privateKey}');
    ${example}
    console.log(typeof seller.paid, typeof fetchPaid);`;
  const parameters = ['--input-type=module-typescript', '--eval', program];
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { cwd });
  expect(stdout).toBe('function function\n');
});

describe('a paid request over HTTP, with client, seller and facilitator that have a tracer', () => {
  it('is one trace, in which each span lies below the one that asked for it', async () => {
    const response = await fetchPaid(`${url}?token=SECRET`);
    expect(settlementOf(response)?.success).toBe(true);
    await expect.poll(() => spans.ended.filter(({ name }) => name === 'x402.serve')).toHaveLength(2);
    expect(new Set(spans.ended.map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(tree()).toEqual([
      'x402.fetch',
      [
        'x402.ask',
        ['x402.serve', ['x402.offer']],
        'x402.sign',
        'x402.present',
        [
          'x402.serve',
          [
            'x402.verify',
            ['x402.facilitator.verify'],
            'x402.handler',
            'x402.settle',
            [
              'x402.facilitator.settle',
              ['x402.phase.verify', 'x402.phase.record', 'x402.phase.submit', 'x402.phase.confirm'],
            ],
          ],
        ],
      ],
    ]);
  });

  it('says in each role what was paid and how it ended', async () => {
    const { transaction } = settlementOf(await fetchPaid(url)) ?? {};
    await expect.poll(() => spans.ended.filter(({ name }) => name === 'x402.serve')).toHaveLength(2);
    const paid = { 'x402.outcome': 'settled', 'x402.transaction': transaction };
    for (const name of ['x402.fetch', 'x402.settle', 'x402.facilitator.settle']) {
      expect(spans.named(name).attributes).toMatchObject(paid);
    }
    const offered = { 'x402.scheme': 'exact', 'x402.amount': '10000', 'x402.asset': '10458941' };
    for (const name of [
      'x402.sign',
      'x402.verify',
      'x402.settle',
      'x402.facilitator.verify',
      'x402.facilitator.settle',
    ]) {
      expect(spans.named(name).attributes).toMatchObject(offered);
    }
    const ids = ['x402.serve', 'x402.facilitator.settle'].map((name) =>
      spans.ended.findLast((one) => one.name === name),
    );
    expect(new Set(ids.map((span) => span?.attributes['x402.request_id'])).size).toBe(1);
  });

  it('records the spans and attributes that docs/telemetry.md lists, and no others', async () => {
    await fetchPaid(url);
    await expect.poll(() => spans.ended.filter(({ name }) => name === 'x402.serve')).toHaveLength(2);
    const page = readFileSync(new URL('../../docs/telemetry.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `x402.') || line.startsWith('| `http.'));
    const listed = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([a-z0-9._]+)`/g)].map(([, name]) => name),
    );
    const attributes = spans.ended.flatMap((span) => Object.keys(span.attributes));
    const recorded = [...spans.ended.map(({ name }) => name), ...attributes];
    expect(recorded.filter((name) => !listed.includes(name))).toEqual([]);
    expect(listed.filter((name) => !recorded.includes(name ?? ''))).toEqual(['x402.message', 'x402.check']);
  });

  it('has as details what went over the wire and what was checked, and no secret', async () => {
    await fetchPaid(`${url}?token=SECRET`);
    await expect.poll(() => spans.ended.filter(({ name }) => name === 'x402.serve')).toHaveLength(2);
    const serve = spans.ended.findLast(({ name }) => name === 'x402.serve');
    const checks = serve?.events.filter(({ name }) => name === 'x402.check').map(({ attributes }) => attributes);
    expect(checks?.map((check) => [check?.['x402.check'], check?.['x402.outcome']])).toEqual([
      ['message', 'passed'],
      ['terms', 'passed'],
      ['offer', 'passed'],
      ['signature', 'passed'],
    ]);
    const present = spans.named('x402.present').events.map(({ attributes }) => attributes);
    expect(present[0]).toMatchObject({ 'x402.direction': 'sent', 'url.path': '/report' });
    const shown = JSON.parse(String(present[0]?.['x402.payment_signature']));
    expect(shown).toMatchObject({ payload: { paymentIndex: 1 } });
    expect(present[1]).toMatchObject({ 'x402.direction': 'received', 'http.response.status_code': 200 });
    expect(JSON.parse(String(present[1]?.['x402.payment_response']))).toMatchObject({ success: true });
    const { payload, extensions } = JSON.parse(Buffer.from(signature, 'base64').toString());
    const [feePayment, signed] = payload.paymentGroup.map((member: string) => Buffer.from(member, 'base64'));
    const [shownFeePayment, shownPayment] = shown.payload.paymentGroup.map((member: string) =>
      decodeMember(Buffer.from(member, 'base64')),
    );
    expect(shownFeePayment).toEqual(decodeMember(feePayment));
    const payment = decodeMember(signed);
    expect(shownPayment.txId).toBe(payment.txId);
    expect(shownPayment.signed.signature).not.toEqual(payment.signed.signature);
    const secrets = [payload.paymentGroup[1], extensions['payment-identifier'].info.id, 'SECRET'];
    const all = JSON.stringify(
      spans.ended.map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    for (const secret of secrets) expect(all).not.toContain(secret);
  });
});
