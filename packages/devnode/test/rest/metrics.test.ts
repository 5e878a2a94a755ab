import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode } from '../../src/start-devnode.ts';
import { post, signedPayment } from './signed-payments.ts';

const LINE = /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? \d+)$/;

describe('/metrics', () => {
  let node: Devnode;
  beforeAll(async () => {
    node = await startDevnode({ port: 0 });
  });
  afterAll(() => node.stop());

  const metrics = async (): Promise<string[]> =>
    (await (await fetch(`${node.url}/metrics`)).text()).trimEnd().split('\n');

  test('is Prometheus’ text format, each metric with its type', async () => {
    const lines = await metrics();
    expect(lines.filter((line) => !LINE.test(line))).toEqual([]);
    const typed = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
    expect(new Set(typed).size).toBe(typed.length);
  });

  test('counts what happened', async () => {
    const group = signedPayment(node);
    await post(node, '/v2/transactions', group);
    await post(node, '/v2/transactions', group);
    await node.mine(2);
    const lines = await metrics();
    expect(lines).toContain('algod_ledger_round 3');
    expect(lines).toContain('algod_ledger_transactions_total 1');
    expect(lines).toContain('algod_transaction_groups_accepted_total 1');
    expect(lines).toContain('algod_transaction_groups_refused_total 1');
    expect(lines).toContain('algod_rest_requests_total{method="POST",route="/v2/transactions",status="200"} 1');
    expect(lines).toContain('algod_rest_requests_total{method="POST",route="/v2/transactions",status="400"} 1');
  });

  test('makes no series of paths and methods that callers invent', async () => {
    for (const path of ['/a', '/b"\n', '/c']) await fetch(node.url + path, { method: 'PATCH' });
    const unknown = (await metrics()).filter((line) => line.includes('route=""'));
    expect(unknown).toEqual(['algod_rest_requests_total{method="",route="",status="404"} 3']);
  });
});
