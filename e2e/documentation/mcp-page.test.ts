import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toClientAvmSigner } from '@x402/avm';
import { ExactAvmScheme } from '@x402/avm/exact/client';
import { x402Client } from '@x402/core/client';
import { type AlgodClient, createAlgodClient } from '@avm402/algorand/algod';
import { parsePaymentRequired } from '@avm402/core/payment-required';
import { type Stack, startStack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { usdcOf } from '@avm402/stack/balances';
import { brokenPromise, fencedBlocks } from './pages.ts';

const PAGE = 'docs/mcp.md';

let stack: Stack;
let algod: AlgodClient;
/** Where the page's programs are. */
let folder: string;
let environment: Record<string, string>;

beforeAll(async () => {
  stack = await startStack({ nodeArguments: ['--network', 'testnet'] });
  algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
  folder = mkdtempSync(fileURLToPath(new URL('written-', import.meta.url)));
  for (const name of ['forecast.ts', 'buyer.ts']) {
    const [program = ''] = fencedBlocks(PAGE, `ts ${name}`);
    writeFileSync(join(folder, name), program);
  }
  environment = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    AVM_MNEMONIC: stack.accounts.payer5.mnemonic,
    AVM_ADDRESS: stack.accounts.merchant.address,
    FACILITATOR_URL: stack.facilitator.url,
    ALGOD_URL: stack.node.url,
    ALGOD_TOKEN: NODE_TOKEN,
  };
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await stack.stop();
});

function earned(): Promise<bigint> {
  return usdcOf(algod, stack.accounts.merchant.address);
}

describe("the page's tool with a price, a program of its own that a host starts", () => {
  it("is paid by the page's buyer", async () => {
    const before = await earned();
    const { stdout, stderr, status } = spawnSync(process.execPath, ['buyer.ts'], {
      cwd: folder,
      env: environment,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const [buyer = ''] = fencedBlocks(PAGE, 'ts buyer.ts');
    expect(brokenPromise(buyer, stdout)).toBeUndefined();
    expect((await earned()) - before).toBe(10_000n);
  });

  it('is paid by a host with the stock client, once for one call', async () => {
    const signer = toClientAvmSigner(stack.accounts.payer6.privateKey);
    const scheme = new ExactAvmScheme(signer, { algodUrl: stack.node.url, algodToken: NODE_TOKEN });
    const buyer = new x402Client().register('algorand:*', scheme);
    const host = new Client({ name: 'stock-host', version: '1.0.0' });
    const { AVM_ADDRESS = '', FACILITATOR_URL = '', NODE_COMPILE_CACHE = '' } = environment;
    await host.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(folder, 'forecast.ts')],
        env: { AVM_ADDRESS, FACILITATOR_URL, NODE_COMPILE_CACHE },
      }),
    );
    const before = await earned();
    const call = { name: 'forecast', arguments: { city: 'Zürich' } };
    const offered = await host.callTool(call);
    expect(offered.isError).toBe(true);
    const payment = await buyer.createPaymentPayload(parsePaymentRequired(offered.structuredContent));
    const paid = { ...call, _meta: { 'x402/payment': payment } };
    expect(await host.callTool(paid)).toMatchObject({
      content: [{ text: 'Zürich: sunny' }],
      _meta: { 'x402/payment-response': { success: true } },
    });
    expect(await host.callTool(paid)).toMatchObject({
      isError: true,
      structuredContent: { error: 'duplicate_payment' },
    });
    expect((await earned()) - before).toBe(10_000n);
    const free = await host.callTool({ ...call, arguments: { city: 'Bern' } });
    expect(free.content).toEqual([{ type: 'text', text: 'Bern: sunny' }]);
    await host.close();
  });
});
