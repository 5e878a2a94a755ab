import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAlgodClient, type AlgodClient } from '@avm402/algorand/algod';
import { parseAccount } from '@avm402/algorand/account';
import type { DevelopmentAccountName } from '@avm402/devnode';
import { createPayingFetch, settlementOf } from '@avm402/client';
import { startStack, type Stack } from '@avm402/stack';
import { NODE_TOKEN } from '@avm402/stack/programs';
import { USDC, usdcOf } from '@avm402/stack/balances';
import { offerOf } from '../payment.ts';
import { avm402 } from '../programs/avm402.ts';

let stack: Stack;
let algod: AlgodClient;
let url: string;

function heldBy(name: DevelopmentAccountName): Promise<bigint> {
  return usdcOf(algod, stack.accounts[name].address);
}

const nodes = [
  { node: 'as it is by default', nodeArguments: [] },
  { node: 'as strict as algod', nodeArguments: ['--strict'] },
];

describe.each(nodes)('GET /weather, with a node $node', ({ nodeArguments }) => {
  beforeAll(async () => {
    stack = await startStack({ nodeArguments });
    algod = createAlgodClient({ url: stack.node.url, token: NODE_TOKEN });
    url = `${stack.weather.url}/weather`;
  });
  afterAll(() => stack.stop());

  it('answers 402 with an offer that names price, network, receiver and the discovery example', async () => {
    const response = await fetch(url);
    expect(response.status).toBe(402);
    expect(response.headers.get('cache-control')).toContain('no-store');
    const offer = offerOf(response);
    expect(offer.resource.mimeType).toBe('application/json');
    expect(offer.accepts[0]).toMatchObject({
      scheme: 'exact',
      amount: '10000',
      asset: USDC.toString(),
      payTo: stack.accounts.merchant.address,
    });
    expect(offer.extensions?.['bazaar']).toMatchObject({
      info: {
        input: { method: 'GET' },
        output: { example: { report: { weather: expect.any(String), temperature: expect.any(Number) } } },
      },
    });
  });

  it('is paid by the paying fetch: report, settlement, and exactly one cent moved on chain', async () => {
    const before = { payer: await heldBy('payer'), merchant: await heldBy('merchant') };
    const account = parseAccount(stack.accounts.payer.mnemonic);
    const fetchPaid = createPayingFetch({
      account,
      networks: { 'algorand:*': { url: stack.node.url, token: NODE_TOKEN } },
    });
    const response = await fetchPaid(url);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      report: {
        weather: expect.any(String),
        temperature: expect.any(Number),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
      },
    });
    const settlement = settlementOf(response);
    expect(settlement).toMatchObject({ success: true, payer: account.address });
    const confirmed = await algod.pendingTransaction(settlement?.transaction ?? '');
    expect(confirmed?.confirmedRound).toBeGreaterThan(0n);
    expect(before.payer - (await heldBy('payer'))).toBe(10_000n);
    expect((await heldBy('merchant')) - before.merchant).toBe(10_000n);
  });

  it('is paid by the command, which prints report and settlement and exits 0', async () => {
    const { code, stdout, stderr } = await avm402(['pay', url, '--json'], {
      AVM_MNEMONIC: stack.accounts.payer2.mnemonic,
      ALGOD_URL: stack.node.url,
      ALGOD_TOKEN: NODE_TOKEN,
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const printed: unknown = JSON.parse(stdout);
    expect(printed).toMatchObject({ status: 200, settlement: { success: true } });
  });
});
