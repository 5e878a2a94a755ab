import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAlgodClient } from '@avm402/algorand/algod';
import { TESTNET } from '@avm402/algorand/networks';
import { createSeller } from '@avm402/server';
import express from 'express';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Market, openMarket } from '../market.ts';

const NPM = {
  '@x402-avm/avm': '2.6.1',
  '@x402-avm/core': '2.6.1',
  '@x402/avm': '2.26.0',
  '@x402/axios': '2.11.0',
  algosdk: '3.5.2',
  axios: '1.21.1',
};
const PIP = 'x402-avm[avm,requests,httpx]==2.0.2';
const PRICE = 10_000n;
const goods = 'a cent’s worth';

const run = promisify(execFile);
const place = mkdtempSync(join(tmpdir(), 'avm402-buyers-'));
const python = join(place, 'venv/bin/python');
let market: Market;
let urls: readonly string[];

beforeAll(async () => {
  cpSync(join(import.meta.dirname, 'buyers'), place, { recursive: true });
  writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true, dependencies: NPM }));
  const npm = run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: place });
  const pip = run('python3', ['-m', 'venv', join(place, 'venv')]).then(() =>
    run(python, ['-m', 'pip', 'install', '--quiet', PIP]),
  );
  market = await openMarket({}, { blocks: { everyMs: 500 }, auth: false });
  urls = await openShop();
  await Promise.all([npm, pip]);
}, 300_000);
afterAll(async () => {
  await market[Symbol.asyncDispose]();
  rmSync(place, { recursive: true });
});

/**
 * The same goods three times, behind a proxy: with a receipt that says that they are settled, with one that says that
 * the outcome is open, and with none.
 */
async function openShop(): Promise<string[]> {
  const seller = createSeller({ facilitator: market.facilitatorUrl, atRisk: {}, onEvent: () => {} });
  const { payTo } = market.accepts;
  const [settled, early] = [undefined, { extra: { paymentFlow: 'accepted' } }].map((terms) =>
    seller.price('$0.01', { payTo, ...terms }),
  );
  const sold = (_request: unknown, response: express.Response): void => void response.json({ goods });
  if (settled === undefined || early === undefined) throw new Error('two prices');
  const app = express();
  app.get('/settled', seller.paid({ accepts: settled }), sold);
  app.get(['/early', '/bare'], seller.paid({ accepts: early }), sold);
  const behind = await market.open(app);
  const proxy = await market.open((asked, response) => forward(asked, response, behind));
  return ['/settled', '/early', '/bare'].map((path) => proxy + path);
}

/** Passes a request on. Receipts of `/bare` stay here. */
function forward(asked: IncomingMessage, response: ServerResponse, behind: string): void {
  const { url = '/', method, headers } = asked;
  const passed = request(behind + url, { method, headers }, (answer) => {
    const { 'payment-response': receipt, ...others } = answer.headers;
    const shown = url === '/bare' || receipt === undefined ? others : { ...others, 'payment-response': receipt };
    response.writeHead(answer.statusCode ?? 500, shown);
    answer.pipe(response);
  });
  asked.pipe(passed);
}

const buyers = [
  ['@x402/axios', 'payer', () => ['node', 'axios-buyer.mjs']],
  ['@x402-avm/core', 'payer2', () => ['node', 'fork-buyer.mjs']],
  ['x402-avm with requests', 'payer3', () => [python, 'python_buyer.py', 'requests']],
  ['x402-avm with httpx', 'payer4', () => [python, 'python_buyer.py', 'httpx']],
] as const;

it.each(buyers)(
  '%s gets status and body and pays once, whatever the receipt says or where there is none',
  async (_name, account, command) => {
    const { node } = market;
    const { address, privateKey } = node.accounts[account];
    const algod = createAlgodClient({ url: node.url, token: node.token });
    const held = async () => (await algod.accountAsset(address, TESTNET.usdcAssetId))?.amount ?? 0n;
    const before = await held();
    const [program = '', ...args] = command();
    const { stdout } = await run(program, [...args, node.url, privateKey, ...urls], { cwd: place });
    // One of them logs what it does, too.
    const given = [...stdout.matchAll(/^given (.+)$/gm)].map(([, shown = '']): unknown => JSON.parse(shown));
    expect(given).toEqual(urls.map(() => [200, goods]));
    await expect.poll(async () => before - (await held()), { timeout: 10_000 }).toBe(PRICE * BigInt(urls.length));
    await node.mine(2);
    expect(before - (await held())).toBe(PRICE * BigInt(urls.length));
  },
);
