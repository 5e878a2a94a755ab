import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { startDevnode, type Devnode, type DevnodeOptions } from '../../src/start-devnode.ts';
import { encode } from '../../src/codec/document.ts';
import { signedTransaction } from '../../src/codec/schema/signed-transaction.ts';
import { ALICE, BOB, CAROL, unsigned } from '../chain-fixture.ts';
import { post } from '../rest/signed-payments.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/avm402-devnode.js');

const running: Devnode[] = [];
afterEach(async () => {
  for (const node of running.splice(0)) await node.stop();
});

async function started(options: DevnodeOptions): Promise<Devnode> {
  const node = await startDevnode({ port: 0, ...options });
  running.push(node);
  return node;
}

/** What the program prints; where it fails, its exit code and what it says. */
async function exported(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = [PROGRAM, 'export', ...args];
  const run = promisify(execFile)(process.execPath, command, { maxBuffer: 1 << 24 });
  return run.then(
    (done) => ({ code: 0, ...done }),
    (failed: { code: number; stdout: string; stderr: string }) => failed,
  );
}

/** Alice holds assets, more than one answer of algod names, and is rekeyed; everything about them that can be set is set. */
const WORLD = JSON.stringify({
  'genesis-id': 'testnet-v1.0',
  accounts: [
    {
      address: ALICE.address,
      amount: 500_000_000,
      'auth-addr': BOB.address,
      assets: Array.from({ length: 1005 }, (_, index) => ({
        'asset-id': 700_000_000 + index,
        amount: index,
        'is-frozen': index % 3 === 1,
      })),
    },
    { address: BOB.address, amount: 1_000_000, assets: [{ 'asset-id': 700_000_003, amount: 9 }] },
  ],
  assets: Array.from({ length: 1005 }, (_, index) => ({
    index: 700_000_000 + index,
    params: {
      creator: CAROL.address,
      total: 1_000_000 + index,
      decimals: index % 20,
      'default-frozen': index % 2 === 0,
      'unit-name': `U${index}`,
      ...(index % 7 === 0 ? { 'name-b64': '//4=' } : { name: `Asset € ${index}` }),
      url: 'https://assets.example',
      'metadata-hash': 'QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=',
      manager: ALICE.address,
      reserve: BOB.address,
      freeze: CAROL.address,
      clawback: ALICE.address,
    },
  })),
});

async function accountOf(node: Devnode, address: string): Promise<unknown> {
  const headers = { 'X-Algo-API-Token': node.token };
  const [account, assets] = await Promise.all([
    fetch(`${node.url}/v2/accounts/${address}?exclude=all`, { headers }).then((answer) => answer.json()),
    fetch(`${node.url}/v2/accounts/${address}/assets?limit=1000`, { headers }).then((answer) => answer.json()),
  ]);
  return { account, assets };
}

describe('avm402-devnode export', () => {
  test('writes accounts, holdings and assets of any algod, and a node that imports them answers the same of them', async () => {
    const world = await started({ network: 'testnet', accountsFile: WORLD, token: 'secret' });
    const { code, stdout, stderr } = await exported(
      '--algod',
      world.url,
      '--token',
      'secret',
      ALICE.address,
      BOB.address,
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ 'genesis-id': 'testnet-v1.0', assets: { length: 1005 } });
    const copy = await started({ accountsFile: stdout });
    for (const { address } of [ALICE, BOB])
      expect(await accountOf(copy, address)).toEqual(await accountOf(world, address));
    const again = await exported('--algod', copy.url, '--token', copy.token, ALICE.address, BOB.address);
    expect(JSON.parse(again.stdout)).toEqual({ ...JSON.parse(stdout), 'genesis-id': 'dockernet-v1' });
  });

  test('lets an imported account pay though nobody has its key', async () => {
    const node = await started({ accountsFile: WORLD });
    const { genesisId, genesisHash } = node;
    const payment = unsigned(ALICE, { genesisId, genesisHash: Buffer.from(genesisHash, 'base64') }, {});
    const group = encode(signedTransaction, signedTransaction.of({ transaction: payment }));
    expect((await post(node, '/v2/transactions', group)).status).toBe(400);
    await node.impersonate(ALICE.address);
    expect((await post(node, '/v2/transactions', group)).status).toBe(200);
    expect(node.balance(BOB.address).microAlgos).toBe(1_000_001n);
  });

  test('names what is wrong with its command line, and a node that does not answer', async () => {
    const usage = /usage: avm402-devnode export --algod URL \[--token TOKEN\] ADDRESS…\n$/;
    expect(await exported()).toMatchObject({ code: 2, stderr: expect.stringMatching(usage) });
    expect(await exported('--algod', 'http://127.0.0.1:1', 'nobody')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^avm402-devnode: nobody is not an address; /),
    });
    expect(await exported('--algod', 'http://127.0.0.1:1', ALICE.address)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^avm402-devnode: --algod: .+\n$/),
    });
    const node = await started({ token: 'secret' });
    expect(await exported('--algod', node.url, ALICE.address)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Invalid API Token'),
    });
  });
});
