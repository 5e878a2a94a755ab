import { afterEach, describe, expect, test } from 'vitest';
import { LOCALNET, TESTNET } from '@avm402/algorand/networks';
import { startDevnode, type Devnode, type DevnodeOptions } from '../src/start-devnode.ts';

describe('startDevnode', () => {
  const running: Devnode[] = [];
  const start = async (options: DevnodeOptions): Promise<Devnode> => {
    const node = await startDevnode(options);
    running.push(node);
    return node;
  };
  afterEach(async () => {
    for (const node of running.splice(0)) await node.stop();
  });

  test('gives each node a port and a chain of its own', async () => {
    const [one, other] = [await start({ port: 0 }), await start({ port: 0 })];
    expect(one.url).not.toBe(other.url);
    await one.mine(3);
    expect([one.latestRound, other.latestRound]).toEqual([3n, 0n]);
  });

  test('boots the fixed development genesis, or presents TestNet', async () => {
    const local = await start({ port: 0 });
    expect([local.genesisId, local.genesisHash]).toEqual([LOCALNET.genesisId, LOCALNET.genesisHash]);
    const testnet = await start({ port: 0, network: 'testnet' });
    expect([testnet.genesisId, testnet.genesisHash]).toEqual([TESTNET.genesisId, TESTNET.genesisHash]);
  });

  test('funds the named accounts and opts them in to USDC', async () => {
    const node = await start({ port: 0 });
    for (const name of ['facilitator', 'merchant', 'payer', 'payer2'] as const) {
      const { microAlgos, assets } = node.balance(node.accounts[name].address);
      expect(microAlgos, name).toBeGreaterThan(1_000_000n);
      expect(assets.has(LOCALNET.usdcAssetId), name).toBe(true);
    }
  });

  test('rejects what it can’t do, and never throws before it returns a promise', async () => {
    const node = await start({ port: 0 });
    const calls = [() => node.fund('nobody', 1n), () => node.deal('nobody', 1n, 1n), () => node.mine(0)];
    const promises = calls.map((call) => call());
    const outcomes = await Promise.allSettled(promises);
    const codes = outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.code);
    expect(codes).toEqual(['invalid_address', 'invalid_address', 'refused']);
  });

  test('takes the API token for the admin token unless one is given', async () => {
    const node = await start({ port: 0, token: 'mine' });
    const peers = (token: string): Promise<Response> =>
      fetch(`${node.url}/v2/node/peers`, { headers: { 'X-Algo-API-Token': token } });
    expect((await peers('mine')).status).toBe(200);
    expect((await peers('a'.repeat(64))).status).toBe(401);
  });

  test('waits for a block no longer than it is told', async () => {
    const node = await start({ port: 0, waitForBlockMs: 30 });
    const path = '/v2/status/wait-for-block-after/0';
    const answer = await fetch(node.url + path, { headers: { 'X-Algo-API-Token': node.token } });
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ 'last-round': 0 })]);
  });

  test('lives by the clock it is given', async () => {
    const node = await start({ port: 0, now: () => 1_700_000_000_000 });
    await node.mine();
    const answer = await fetch(`${node.url}/v2/blocks/1`, { headers: { 'X-Algo-API-Token': node.token } });
    expect(await answer.json()).toMatchObject({ block: { ts: 1_700_000_000 } });
  });

  test.each([
    [{ token: '' }, 'token'],
    [{ token: 'a b' }, 'token'],
    [{ adminToken: 'ä' }, 'token'],
    [{ config: { TxPoolSize: -1 } }, 'TxPoolSize'],
    [{ config: { EnableDeveloperAPI: 'yes' } }, 'EnableDeveloperAPI'],
    [{ host: '203.0.113.1' }, '203.0.113.1'],
    [{ blocks: { everyMs: 0 } }, '0'],
  ])('refuses %j and says why', async (options, named) => {
    await expect(startDevnode({ port: 0, ...options })).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining(named) as string,
    });
  });

  test('refuses a port that is taken, naming port and flag', async () => {
    const { url } = await start({ port: 0 });
    const port = Number(new URL(url).port);
    await expect(startDevnode({ port })).rejects.toMatchObject({
      code: 'port_taken',
      message: expect.stringMatching(new RegExp(`port ${port} .*--port`)) as string,
    });
  });

  test('refuses a genesis that is none', async () => {
    await expect(startDevnode({ port: 0, genesis: '{"alloc": 5}' })).rejects.toMatchObject({ code: 'invalid_genesis' });
  });

  test('may be stopped twice', async () => {
    const node = await startDevnode({ port: 0 });
    await node.stop();
    await node.stop();
  });
});
