import { afterEach, describe, expect, test } from 'vitest';
import { createDevControls } from '../../src/dev/control-client.ts';
import { startDevnode, type Devnode, type DevnodeOptions } from '../../src/start-devnode.ts';

const running: Devnode[] = [];
afterEach(async () => {
  for (const node of running.splice(0)) await node.stop();
});

async function started(options: DevnodeOptions = {}): Promise<Devnode> {
  const node = await startDevnode({ port: 0, ...options });
  running.push(node);
  return node;
}

function call(node: Devnode, path: string, request: RequestInit = {}): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set('X-Algo-API-Token', node.token);
  return fetch(node.url + path, { ...request, headers });
}

describe('GET /dev/dump and POST /dev/load', () => {
  test('carry the state of one node to another', async () => {
    const node = await started({ network: 'testnet' });
    await node.fund(node.accounts.merchant.address, 5n);
    await node.mine(3);
    const dump = await call(node, '/dev/dump');
    const state = Buffer.from(await dump.arrayBuffer());
    expect(dump.headers.get('content-type')).toBe('application/octet-stream');
    expect(state.equals(await node.dump())).toBe(true);
    const other = await started({ network: 'testnet' });
    const loaded = await call(other, '/dev/load', { method: 'POST', body: state });
    expect(await loaded.json()).toEqual({ 'last-round': 4 });
    expect(other.balance(node.accounts.merchant.address)).toEqual(node.balance(node.accounts.merchant.address));
    const booted = await started({ state });
    expect([booted.genesisId, booted.genesisHash]).toEqual([node.genesisId, node.genesisHash]);
    expect(booted.latestRound).toBe(4n);
  });

  test('are dump() and load() of the client', async () => {
    const node = await started();
    const controls = createDevControls({ url: node.url });
    const state = await controls.dump();
    await node.fund(node.accounts.merchant.address, 5n);
    await node.mine(6);
    const later = await controls.dump();
    expect(await controls.load(state)).toBe(0n);
    expect((await controls.state()).changes).toEqual([]);
    expect(await controls.load(later)).toBe(7n);
    expect(node.latestRound).toBe(7n);
    await expect(controls.load(later.subarray(1))).rejects.toMatchObject({ code: 'refused', status: 400 });
  });

  test('refuse a file of another chain with the reason', async () => {
    const node = await started();
    const other = await started({ network: 'testnet' });
    const refused = await call(other, '/dev/load', { method: 'POST', body: Buffer.from(await node.dump()) });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({
      message: 'the state file is of the chain dockernet-v1, not of the testnet-v1.0 asked for',
    });
  });

  test.each(['/dev/dump', '/dev/load'])('%s answers no web page', async (path) => {
    const node = await started();
    const method = path === '/dev/dump' ? 'GET' : 'POST';
    const refused = await call(node, path, { method, headers: { Origin: 'http://localhost' } });
    expect(refused.status).toBe(403);
  });
});
