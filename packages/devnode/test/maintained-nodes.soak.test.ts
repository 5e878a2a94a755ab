import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCommand } from './durable/running-program.ts';

const PACKAGE = join(import.meta.dirname, '..');
const PROGRAM = join(PACKAGE, 'bin/avm402-devnode.js');
/** The oldest that the package promises, and the maintained ones; the tests themselves run with 24. */
const INSTALLED = ['20.19.0', '22'];

const folder = mkdtempSync(join(tmpdir(), 'devnode-nodes-'));

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const nodes = INSTALLED.map((version) => `node-${version}@npm:node-${platform}-${process.arch}@${version}`);
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...nodes], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Uses the library: starts a node in a directory, pays, and prints what the merchant has. */
const LIBRARY = `
  import { startDevnode } from '@avm402/devnode';
  import { parseAccount } from '@avm402/algorand/account';
  const node = await startDevnode({ port: 0, data: process.argv[1] });
  const { payer, merchant } = node.accounts;
  const payment = parseAccount(payer.mnemonic).signTransaction({
    type: 'pay', sender: payer.address, receiver: merchant.address, amount: 5n, fee: 1000n, firstValid: 1n, lastValid: 9n,
    genesisId: node.genesisId, genesisHash: Buffer.from(node.genesisHash, 'base64'),
  });
  const headers = { 'X-Algo-API-Token': node.token };
  const answer = await fetch(node.url + '/v2/transactions', { method: 'POST', headers, body: payment });
  const { microAlgos } = node.balance(merchant.address);
  await node.stop();
  console.log([process.version, answer.status, node.latestRound, merchant.address, microAlgos].join(' '));
`;

test.each([
  ...INSTALLED.map((version) => [version, join(folder, `node_modules/node-${version}/bin/node`)] as const),
  ['24', process.execPath] as const,
])('Node %s: the library takes a payment, and the program goes on with its chain, twice', async (version, node) => {
  const data = mkdtempSync(join(folder, 'data-'));
  const said = execFileSync(node, ['--input-type=module', '--eval', LIBRARY, data], { cwd: PACKAGE, encoding: 'utf8' });
  const [ran, status, round, merchant = '', before = ''] = said.trim().split(' ');
  expect([ran, status, round]).toEqual([expect.stringMatching(`^v${version}`), '200', '1']);
  const headers = { 'X-Algo-API-Token': 'a'.repeat(64) };
  for (const gifts of [1n, 2n]) {
    const program = startCommand(node, PROGRAM, '--port', '0', '--quiet', '--data', data);
    const url = await program.listening;
    const given = await fetch(`${url}/dev/fund/${merchant}?amount=7`, { method: 'POST', headers });
    const after = await fetch(`${url}/v2/accounts/${merchant}`, { headers });
    expect([given.status, await after.json()]).toMatchObject([200, { amount: Number(BigInt(before) + 7n * gifts) }]);
    expect(await program.kill()).toEqual({ signal: 'SIGKILL', said: '' });
  }
});
