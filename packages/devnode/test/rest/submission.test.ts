import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode, type DevnodeOptions } from '../../src/start-devnode.ts';
import { openSocket, parseAnswer, readToEnd, requestBytes } from './raw-socket.ts';
import { post, signedPayment } from './signed-payments.ts';

const SYNCHRONOUS = '/v2/transactions';
const ASYNCHRONOUS = '/v2/transactions/async';

describe('submission over HTTP', () => {
  let node: Devnode;
  const start = async (options: DevnodeOptions = {}): Promise<void> => {
    node = await startDevnode({ port: 0, ...options });
  };
  afterEach(() => node.stop());

  const get = async (path: string): Promise<Response> =>
    fetch(node.url + path, { headers: { 'X-Algo-API-Token': node.token } });
  const poolSize = async (): Promise<number> => {
    const answer = (await (await get('/v2/transactions/pending')).json()) as { 'total-transactions': number };
    return answer['total-transactions'];
  };
  const settled = async (round: bigint): Promise<void> => {
    const deadline = Date.now() + 2000;
    while (node.latestRound < round && Date.now() < deadline) await sleep(5);
  };

  test('has the block when the answer comes', async () => {
    await start();
    expect((await post(node, SYNCHRONOUS, signedPayment(node))).status).toBe(200);
    expect(node.latestRound).toBe(1n);
    expect(await poolSize()).toBe(0);
  });

  test('lets groups that arrive together share blocks, and loses none', async () => {
    await start();
    const before = node.balance(node.accounts.merchant.address).microAlgos;
    const answers = await Promise.all(Array.from({ length: 40 }, () => post(node, SYNCHRONOUS, signedPayment(node))));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
    expect(node.balance(node.accounts.merchant.address).microAlgos).toBe(before + 40n);
    expect(node.latestRound).toBeLessThanOrEqual(40n);
  });

  test('strictly makes one block for each group, however they arrive', async () => {
    await start({ strict: true });
    await Promise.all(Array.from({ length: 20 }, () => post(node, SYNCHRONOUS, signedPayment(node))));
    expect(node.latestRound).toBe(20n);
  });

  test('answers a client that closes its side once it has sent', async () => {
    await start();
    for (let count = 0; count < 10; count++) {
      const socket = await openSocket(node.url);
      const headers = { 'X-Algo-API-Token': node.token };
      const body = Buffer.from(signedPayment(node));
      socket.end(requestBytes({ method: 'POST', path: SYNCHRONOUS, headers, body }));
      expect(parseAnswer(await readToEnd(socket))?.status).toBe(200);
    }
  });

  test('takes groups of one connection in the order in which they were sent, without waiting for answers', async () => {
    await start();
    const socket = await openSocket(node.url);
    const groups = Array.from({ length: 50 }, () => signedPayment(node));
    const headers = { 'X-Algo-API-Token': node.token };
    for (const [index, group] of groups.entries()) {
      const connection = index === groups.length - 1 ? 'close' : 'keep-alive';
      const request = { method: 'POST', path: SYNCHRONOUS, headers: { ...headers, Connection: connection } };
      socket.write(requestBytes({ ...request, body: Buffer.from(group) }));
    }
    const answers = (await readToEnd(socket)).toString('latin1').matchAll(/"txId":"(\w+)"/g);
    const confirmed: string[] = [];
    for (let round = 1n; round <= node.latestRound; round++) {
      const { blockTxids = [] } = (await (await get(`/v2/blocks/${round}/txids`)).json()) as { blockTxids?: string[] };
      confirmed.push(...blockTxids);
    }
    expect(confirmed).toHaveLength(50);
    expect(Array.from(answers, ([, txId]) => txId)).toEqual(confirmed);
  });

  test('refuses the same group twice', async () => {
    await start();
    const group = signedPayment(node);
    await post(node, SYNCHRONOUS, group);
    const again = await post(node, SYNCHRONOUS, group);
    expect(again.status).toBe(400);
    expect(await again.text()).toContain('transaction already in ledger');
  });

  test('asynchronously answers an empty 200 and makes a block for each group', async () => {
    await start();
    for (let count = 0; count < 3; count++) {
      const answer = await post(node, ASYNCHRONOUS, signedPayment(node));
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBeNull();
      expect(await answer.text()).toBe('');
    }
    await settled(3n);
    expect(node.latestRound).toBe(3n);
  });

  test('asynchronously says 200 of a group without cover, which vanishes', async () => {
    await start();
    const group = signedPayment(node, { microAlgos: 10n ** 18n });
    expect((await post(node, ASYNCHRONOUS, group)).status).toBe(200);
    const metrics = async (): Promise<string> => (await get('/metrics')).text();
    await expect.poll(metrics).toContain('algod_transaction_backlog_dropped_total 1');
    expect(node.latestRound).toBe(0n);
    expect(await poolSize()).toBe(0);
  });

  test('asynchronously refuses what is no group at once', async () => {
    await start();
    const answer = await post(node, ASYNCHRONOUS, new Uint8Array());
    expect([answer.status, await answer.text()]).toEqual([400, '{"message":"empty txgroup"}\n']);
  });

  test('answers 503 when the backlog is full, and takes groups again when it has worked it off', async () => {
    await start({ config: { TxBacklogSize: 4 } });
    const answers = await Promise.all(Array.from({ length: 60 }, () => post(node, ASYNCHRONOUS, signedPayment(node))));
    const refused = answers.filter(({ status }) => status === 503);
    const accepted = answers.filter(({ status }) => status === 200);
    expect(refused.length + accepted.length).toBe(60);
    for (const answer of refused) expect(await answer.text()).toBe('{"message":"backlog full"}\n');
    await settled(BigInt(accepted.length));
    expect(node.latestRound).toBe(BigInt(accepted.length));
    expect((await post(node, ASYNCHRONOUS, signedPayment(node))).status).toBe(200);
  });

  test('a backlog of no size at all refuses every group', async () => {
    await start({ config: { TxBacklogSize: 0 } });
    const answer = await post(node, ASYNCHRONOUS, signedPayment(node));
    expect([answer.status, await answer.text()]).toEqual([503, '{"message":"backlog full"}\n']);
  });

  test('strictly keeps asynchronous groups in the pool until the next synchronous one', async () => {
    await start({ strict: true });
    await post(node, ASYNCHRONOUS, signedPayment(node));
    await post(node, ASYNCHRONOUS, signedPayment(node));
    await expect.poll(poolSize).toBe(2);
    expect(node.latestRound).toBe(0n);
    await post(node, SYNCHRONOUS, signedPayment(node));
    expect(node.latestRound).toBe(1n);
    const { blockTxids } = (await (await get('/v2/blocks/1/txids')).json()) as { blockTxids: string[] };
    expect(blockTxids).toHaveLength(3);
  });

  test('with manual blocks a group waits in the pool until a block is mined', async () => {
    await start({ blocks: 'manual' });
    expect((await post(node, SYNCHRONOUS, signedPayment(node))).status).toBe(200);
    expect(node.latestRound).toBe(0n);
    expect(await poolSize()).toBe(1);
    await node.mine(3);
    expect(node.latestRound).toBe(3n);
    expect(await poolSize()).toBe(0);
  });

  test('with a block time, blocks come without submissions and take what is there', async () => {
    await start({ blocks: { everyMs: 30 } });
    await post(node, SYNCHRONOUS, signedPayment(node));
    await settled(node.latestRound + 3n);
    expect(await poolSize()).toBe(0);
    expect(node.latestRound).toBeGreaterThanOrEqual(2n);
  });

  test('a full pool refuses with algod’s words', async () => {
    await start({ blocks: 'manual', config: { TxPoolSize: 2 } });
    await post(node, SYNCHRONOUS, signedPayment(node));
    await post(node, SYNCHRONOUS, signedPayment(node));
    const answer = await post(node, SYNCHRONOUS, signedPayment(node));
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('transaction pool has reached capacity');
  });
});
